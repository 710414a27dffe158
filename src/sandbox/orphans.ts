// Sandboxes that outlive the Lainclaw that started them for a moment: it was killed, and the kernel ends them one process after another, which
// takes a while on a busy machine. Each bubblewrap has the name of its Lainclaw on its command line; killing the first process of a sandbox
// ends all others in it before that process is gone.
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../lib/monotonic.ts';
import { readStat } from './end-tree.ts';

const PAUSE_MS = 5;
const DEADLINE_MS = 10_000;

/** `started` as `readStat` returns it. */
export interface Owner {
  pid: number;
  started: number;
}

/** The word on the command lines of its sandboxes. */
export function ownerMark({ pid, started }: Owner): string {
  return `lainclaw-of-${pid}-${started}`;
}

/** Resolves with true once no sandbox of a Lainclaw that has ended is left; with false when one is still there after ten seconds. */
export async function endOrphans(owner: Owner): Promise<boolean> {
  const mark = ownerMark(owner);
  // A look takes longer than the pause where many processes run.
  for (const deadline = monotonicMs() + DEADLINE_MS; monotonicMs() < deadline; ) {
    const { marked, ending } = look(mark);
    if (marked.length + ending.length === 0) return true;
    for (const pid of marked) kill(pid);
    await sleep(PAUSE_MS);
  }
  return false;
}

/** `ending`: what is being taken apart has no command line any more, and may be one of them. */
function look(mark: string): { marked: number[]; ending: number[] } {
  const sandboxes = readdirSync('/proc').flatMap((name) => {
    const pid = /^\d+$/.test(name) && read(`/proc/${name}/comm`).trim() === 'bwrap' ? Number(name) : undefined;
    return pid === undefined ? [] : [pid];
  });
  const isMarked = (pid: number): boolean => read(`/proc/${pid}/cmdline`).split('\0').includes(mark);
  const isEnding = (pid: number): boolean => {
    const stat = readStat(pid);
    return stat?.isExiting === true && stat.state !== 'Z' && stat.state !== 'X';
  };
  return { marked: sandboxes.filter(isMarked), ending: sandboxes.filter(isEnding) };
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // It has ended meanwhile.
  }
}
