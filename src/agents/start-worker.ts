import { spawn } from 'node:child_process';

export interface WorkerPlace {
  /** The command line of this program: the Node binary and its arguments. */
  program: readonly string[];
  cwd: string;
  variables: Readonly<Record<string, string | undefined>>;
}

/** Starts a separate process, which outlives this command and ends when the queue is empty. */
export function startWorker({ program, cwd, variables }: WorkerPlace): void {
  const [node = process.execPath, ...rest] = program;
  spawn(node, [...rest, 'agents', 'work'], { cwd, env: { ...variables }, detached: true, stdio: 'ignore' }).unref();
}
