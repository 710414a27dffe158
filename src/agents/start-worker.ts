import { spawn } from 'node:child_process';

export interface WorkerPlace {
  /** How this program is started: the Node binary and what follows it. */
  program: readonly string[];
  cwd: string;
  variables: Readonly<Record<string, string | undefined>>;
}

/** A process of its own, which outlives the command that started it and ends when nothing is queued. */
export function startWorker({ program, cwd, variables }: WorkerPlace): void {
  const [node = process.execPath, ...rest] = program;
  spawn(node, [...rest, 'agents', 'work'], { cwd, env: { ...variables }, detached: true, stdio: 'ignore' }).unref();
}
