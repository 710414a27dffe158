import {
  type Finished,
  type RunOptions,
  type Sandbox,
  type SandboxCommand,
  SandboxError,
} from '../../sandbox/sandbox.ts';
import { type ToolContext, ToolFailure } from '../tool.ts';
import { createProgressLines } from './progress-lines.ts';

export interface RunSandboxed extends Pick<ToolContext, 'signal' | 'progress' | 'spoolPath' | 'afterwards'> {
  command: SandboxCommand;
  timeoutMs: number;
  output: Omit<RunOptions['output'], 'spoolPath'>;
}

/** Shows line by line what the command prints. That it was cancelled is for the caller to see: it may have changed something. */
export async function runSandboxed(sandbox: Sandbox, options: RunSandboxed): Promise<Finished> {
  const { command, timeoutMs, signal, progress, spoolPath, afterwards } = options;
  const lines = createProgressLines(progress);
  const output = { ...options.output, spoolPath: await spoolPath() };
  const finished = await sandbox
    .run(command, { timeoutMs, signal, output, onOutput: lines.add, afterwards, expectsMore: true })
    .catch(orSandboxFailure);
  lines.end();
  return finished;
}

export function orSandboxFailure(error: unknown): never {
  if (!(error instanceof SandboxError)) throw error;
  throw new ToolFailure(error.message, { reason: 'denied', cause: error });
}
