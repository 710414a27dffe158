// Runs one hook: the event as JSON on its standard input, its answer as JSON on standard output, or nothing at all.
import { spawn } from 'node:child_process';

const LARGEST_ANSWER = 64 * 1024;
const SHOWN_ERROR = 500;

export interface HookRun {
  command: string;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  timeoutMs: number;
  signal: AbortSignal;
}

export type HookAnswer = { ok: true; answer: Record<string, unknown> } | { ok: false; problem: string };

/** Never rejects. The hook and the processes of its group end with its timeout and with the signal. */
export async function runHook(event: unknown, options: HookRun): Promise<HookAnswer> {
  if (options.signal.aborted) return { ok: false, problem: 'it was cancelled' };
  try {
    return await start(event, options);
  } catch (error) {
    return { ok: false, problem: `it could not be started: ${(error as Error).message}` };
  }
}

/** Rejects when the hook cannot be started. */
function start(event: unknown, { command, cwd, env, timeoutMs, signal }: HookRun): Promise<HookAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<HookAnswer>();
  const child = spawn('/bin/sh', ['-c', command], { cwd, env: { ...env }, detached: true, stdio: 'pipe' });
  child.once('error', reject);
  // Without file descriptors left it has no pipes either.
  if (child.pid === undefined) return promise;
  let output = '';
  let errors = '';
  let ending: string | undefined;
  const end = (reason: string): void => {
    ending ??= reason;
    endGroup(child.pid);
    // A process that left the group may hold these open: it is not waited for.
    child.stdout.destroy();
    child.stderr.destroy();
  };
  const timer = setTimeout(() => end(`it took longer than ${timeoutMs} ms`), timeoutMs);
  const onAbort = (): void => end('it was cancelled');
  signal.addEventListener('abort', onAbort, { once: true });
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    output += text;
    if (output.length > LARGEST_ANSWER) end('it printed too much');
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors = (errors + text).slice(-SHOWN_ERROR);
  });
  // A hook may end without having read anything.
  child.stdin.on('error', () => {});
  child.stdin.end(`${JSON.stringify(event)}\n`);
  // What it left running goes with it, and would keep its output open.
  child.on('exit', () => endGroup(child.pid));
  child.on('close', (code) => {
    clearTimeout(timer);
    signal.removeEventListener('abort', onAbort);
    if (ending !== undefined) return resolve({ ok: false, problem: ending });
    const told = errors.trim() === '' ? '' : `: ${errors.trim()}`;
    if (code !== 0) return resolve({ ok: false, problem: `it ended with ${code ?? 'a signal'}${told}` });
    resolve(answerIn(output));
  });
  return promise;
}

function answerIn(output: string): HookAnswer {
  if (output.trim() === '') return { ok: true, answer: {} };
  try {
    const answer: unknown = JSON.parse(output);
    if (typeof answer === 'object' && answer !== null && !Array.isArray(answer))
      return { ok: true, answer: answer as Record<string, unknown> };
  } catch {
    // Told below.
  }
  return { ok: false, problem: 'its answer is not a JSON object' };
}

function endGroup(pid: number | undefined): void {
  try {
    if (pid !== undefined) process.kill(-pid, 'SIGKILL');
  } catch {
    // All of them have ended.
  }
}
