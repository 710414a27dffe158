// Watches the memory of a process and its descendants where no control group counts it: looks some times a second and
// reports when they use more together than allowed. First the cheap sum, which counts a shared page once for every process;
// only when that is too much, the exact one. The exact sum waits for locks that the watched processes hold, so it is read
// off the main thread, and when it takes more than a second the cheap sum decides. Processes can exceed the limit between
// two looks: then the kernel's out-of-memory killer ends these processes first.
import { readdirSync, readFileSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';

const PAUSE_MS = 100;
/** Looking at many processes takes longer: it may use at most a twentieth of the time. */
const PAUSE_PER_LOOK = 20;
const EXACT_MS = 1_000;

export function watchMemory(root: number, limitBytes: number, onExceeded: () => void): { stop(): void } {
  let timer: NodeJS.Timeout | undefined;
  let isStopped = false;

  function lookAfter(pauseMs: number): void {
    timer = setTimeout(() => void look(), pauseMs);
    timer.unref();
  }

  async function look(): Promise<void> {
    const start = performance.now();
    const processes = descendantsOf(root);
    const took = performance.now() - start;
    if (mostBytes(processes) > limitBytes && (await exactBytes(processes, limitBytes)) > limitBytes && !isStopped) {
      onExceeded();
    } else if (!isStopped) {
      lookAfter(Math.max(PAUSE_MS, took * PAUSE_PER_LOOK));
    }
  }

  lookAfter(PAUSE_MS);
  return {
    stop() {
      isStopped = true;
      clearTimeout(timer);
    },
  };
}

/** The first process of a namespace adopts orphans, so no process is missed. */
function descendantsOf(root: number): number[] {
  const found = [root];
  for (const pid of found) {
    for (const thread of list(`/proc/${pid}/task`)) {
      const children = read(`/proc/${pid}/task/${thread}/children`).trim();
      if (children !== '') found.push(...children.split(' ').map(Number));
    }
  }
  return found;
}

function mostBytes(processes: readonly number[]): number {
  return (
    processes.reduce((total, pid) => total + kilobytes(read(`/proc/${pid}/status`), /^Rss(?:Anon|Shmem):/), 0) * 1024
  );
}

/** A page shared by n processes counts one n-th in each. Infinite when the processes block reading it. */
async function exactBytes(processes: readonly number[], enough: number): Promise<number> {
  const deadline = new AbortController();
  const count = async (): Promise<number> => {
    let total = 0;
    for (const pid of processes) {
      if (total > enough || deadline.signal.aborted) break;
      const text = await readFile(`/proc/${pid}/smaps_rollup`, 'latin1').catch(() => '');
      total += kilobytes(text, /^Pss_(?:Anon|Shmem):/) * 1024;
    }
    return total;
  };
  try {
    return await Promise.race([count(), sleep(EXACT_MS, Number.POSITIVE_INFINITY, { signal: deadline.signal })]);
  } finally {
    deadline.abort();
  }
}

function kilobytes(text: string, names: RegExp): number {
  const lines = text.split('\n').filter((line) => names.test(line));
  return lines.reduce((total, line) => total + Number(/(\d+) kB/.exec(line)?.[1] ?? 0), 0);
}

function list(path: string): string[] {
  try {
    return readdirSync(path);
  } catch {
    return [];
  }
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
