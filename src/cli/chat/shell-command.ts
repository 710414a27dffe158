// A command that the person types behind `!`: their own shell runs it on their machine as it stands, with their rights and outside of any
// sandbox. It has no terminal and no input, so that it can neither draw over the chat nor wait for an answer that nobody can give.
import { type ChildProcess, spawn } from 'node:child_process';
import { constants } from 'node:os';

/** Of what it prints, the end is kept. */
const KEPT = 64_000;
/** After Ctrl+C it may still clean up for so long. */
const GRACE_MS = 2_000;
/** What it left behind in the background may keep the output open: it is not waited for. */
const DRAIN_MS = 200;
/** As a shell says it. */
const NOT_STARTED = 127;

export interface ShellCommandOptions {
  command: string;
  cwd: string;
  env: Readonly<Record<string, string | undefined>>;
  signal: AbortSignal;
  /** Everything it has printed so far, the end of it where that is long. */
  onOutput(output: string): void;
}

export interface ShellCommandEnd {
  output: string;
  /** As a shell tells it: 128 and the number of the signal that ended it. */
  code: number;
  wasStopped: boolean;
}

/** Resolves when the command has ended, also where it could not be started. */
export async function runShellCommand(options: ShellCommandOptions): Promise<ShellCommandEnd> {
  try {
    return await start(options);
  } catch (error) {
    // Too long for the system, for one.
    const output = `${(error as Error).message}\n`;
    options.onOutput(output);
    return { output, code: NOT_STARTED, wasStopped: false };
  }
}

/** Rejects when the command cannot be started. */
function start({ command, cwd, env, signal, onOutput }: ShellCommandOptions): Promise<ShellCommandEnd> {
  const { promise, resolve, reject } = Promise.withResolvers<ShellCommandEnd>();
  const shell = env.SHELL || '/bin/sh';
  const child = spawn(shell, ['-c', command], {
    cwd,
    env: { ...env },
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  child.once('error', reject);
  // Without file descriptors left it has no pipes either.
  if (child.pid === undefined) return promise;
  let output = '';
  const read = (text: string): void => {
    output = (output + text).slice(-KEPT);
    onOutput(output);
  };
  for (const stream of [child.stdout, child.stderr]) stream.setEncoding('utf8').on('data', read);
  let lastResort: NodeJS.Timeout | undefined;
  /** Also when this process ends before the time to clean up is over, as a second Ctrl+C makes it. */
  const kill = (): void => {
    process.off('exit', kill);
    signalGroup(child, 'SIGKILL');
  };
  const stop = (): void => {
    signalGroup(child, 'SIGINT');
    process.once('exit', kill);
    lastResort = setTimeout(kill, GRACE_MS);
  };
  signal.addEventListener('abort', stop, { once: true });
  const end = (code: number): void => {
    // A shell starts what is in its background so that it ignores Ctrl+C: when it was stopped, that is ended a little later.
    if (!signal.aborted) clearTimeout(lastResort);
    signal.removeEventListener('abort', stop);
    child.stdout.destroy();
    child.stderr.destroy();
    resolve({ output, code, wasStopped: signal.aborted });
  };
  child.on('exit', (code, by) => {
    const exit = code ?? 128 + (by ? constants.signals[by] : 0);
    const drained = setTimeout(() => end(exit), DRAIN_MS);
    child.once('close', () => {
      clearTimeout(drained);
      end(exit);
    });
  });
  if (signal.aborted) stop();
  return promise;
}

/** The command and all that it started: it leads a group of its own. */
function signalGroup({ pid }: ChildProcess, name: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, name);
  } catch {
    // It has ended meanwhile.
  }
}
