// Runs npm for those who look up packages; skills have the code for it.
import { environmentFor, runProgram } from '../skills/install/run-program.ts';

const TIMEOUT_MS = 120_000;
const MAX_OUTPUT_BYTES = 8 * 1_048_576;

interface NpmOptions {
  cwd: string;
  variables: Readonly<Record<string, string | undefined>>;
  signal?: AbortSignal;
}

/** Resolves to what npm printed; rejects with a message that says what it complained about. */
export async function runNpm(args: readonly string[], { cwd, variables, signal }: NpmOptions): Promise<string> {
  const env = environmentFor(variables);
  const limits = { maxOutputBytes: MAX_OUTPUT_BYTES, timeoutMs: TIMEOUT_MS };
  return (await runProgram({ file: 'npm', args, cwd, env, ...limits, signal })).toString('utf8');
}
