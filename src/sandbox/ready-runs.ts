// At most one run is made ready for each set of limits. It is used once, or ended after a while in which nobody wanted it.
import type { Cgroup } from './cgroup.ts';
import { readStat } from './end-tree.ts';
import type { ReadyProcess } from './ready-process.ts';
import type { Limits } from './sandbox.ts';

const UNUSED_MS = 60_000;

export interface ReadyRun {
  process: ReadyProcess;
  cgroup: Cgroup | undefined;
  /** The limits that hold for all of its processes together are laid on it. */
  isInGroup: boolean;
}

export interface ReadyRuns {
  /** Resolves once one is ready, or cannot be made. Never rejects. */
  prepare(limits: Limits): Promise<void>;
  /** The one that is ready, or being made; undefined when there is none. Never rejects. */
  take(limits: Limits): Promise<ReadyRun | undefined>;
  close(): Promise<void>;
}

export function createReadyRuns(make: (limits: Limits) => Promise<ReadyRun>): ReadyRuns {
  let isClosed = false;
  const ready = new Map<string, { making: Promise<ReadyRun | undefined>; timer: NodeJS.Timeout }>();

  function remove(key: string): Promise<ReadyRun | undefined> {
    const found = ready.get(key);
    ready.delete(key);
    clearTimeout(found?.timer);
    return found?.making ?? Promise.resolve(undefined);
  }

  async function discard(key: string): Promise<void> {
    const run = await remove(key);
    await run?.process.discard();
    await run?.cgroup?.remove();
  }

  return {
    async prepare(limits) {
      const key = JSON.stringify(limits);
      if (!isClosed && !ready.has(key)) {
        const timer = setTimeout(() => void discard(key), UNUSED_MS);
        timer.unref();
        // What cannot be made ready is started when it is needed, and says then what is wrong.
        ready.set(key, { making: make(limits).catch(() => undefined), timer });
      }
      await ready.get(key)?.making;
    },
    async take(limits) {
      const run = await remove(JSON.stringify(limits));
      if (!run) return undefined;
      if (isWaiting(run.process.child)) return run;
      await run.process.discard();
      await run.cgroup?.remove();
      return undefined;
    },
    async close() {
      isClosed = true;
      await Promise.all([...ready.keys()].map(discard));
    },
  };
}

/** Asked of the kernel: that it has ended may not have been told yet. */
function isWaiting({ pid, exitCode, signalCode }: ReadyProcess['child']): boolean {
  if (pid === undefined || exitCode !== null || signalCode !== null) return false;
  const state = readStat(pid)?.state;
  return state !== undefined && state !== 'Z' && state !== 'X';
}
