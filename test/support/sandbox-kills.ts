// Kills a process while it starts sandboxes, and tells what it left running.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { processesWith } from './sandbox-trial.ts';

/** How a sandbox comes by its process: prepared by a small shell, or started with its command. */
export type StartWay = 'prepared' | 'direct';

export interface KillOptions {
  way: StartWay;
  /** Where `bwrap` is looked for first. */
  programs?: string;
  /** Resolves when it is time for the kill. `root` is on the command line of every process of the sandboxes. */
  until(root: string): Promise<unknown>;
}

const LOOKS = 250;
const LOOK_MS = 20;

/** The processes that are left some seconds after the kill. They are ended, and so is all else of it. */
export async function killWhileStarting({ way, programs = '', until }: KillOptions): Promise<number[]> {
  const script = new URL('sandbox-starts.ts', import.meta.url).pathname;
  const child = spawn(process.execPath, [script, way, programs], { stdio: ['ignore', 'pipe', 'inherit'] });
  const root = await firstLine(child);
  try {
    await until(root);
    child.kill('SIGKILL');
    await once(child, 'exit');
    return await leftOf(root);
  } finally {
    child.kill('SIGKILL');
    for (const pid of processesWith(root)) tryToKill(pid);
    rmSync(root, { recursive: true, force: true, maxRetries: 50, retryDelay: LOOK_MS });
  }
}

async function leftOf(root: string): Promise<number[]> {
  for (let look = 1; ; look += 1) {
    const left = processesWith(root);
    if (left.length === 0 || look === LOOKS) return left;
    await sleep(LOOK_MS);
  }
}

async function firstLine({ stdout }: ChildProcess): Promise<string> {
  let text = '';
  while (!text.includes('\n')) text += String((await once(stdout as NonNullable<typeof stdout>, 'data'))[0]);
  return text.split('\n')[0] ?? '';
}

function tryToKill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}
