// Keeps at most one prepared run for each set of limits. A run is used once, or ended when nobody took it for a while.
import type { Cgroup } from './cgroup.ts';
import { readStat } from './end-tree.ts';
import type { ReadyProcess } from './ready-process.ts';
import type { Limits } from './sandbox.ts';

const UNUSED_MS = 60_000;

export interface ReadyRun {
  process: ReadyProcess;
  cgroup: Cgroup | undefined;
  /** True when the process is in the control group that limits all of its processes together. */
  isInGroup: boolean;
}

export interface ReadyRuns {
  /** Resolves once a run is ready, or cannot be made. Never rejects. */
  prepare(limits: Limits): Promise<void>;
  /** The run that is ready or being made; undefined when there is none. Never rejects. */
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
        // A run that cannot be prepared is started when it is needed, and reports its failure then.
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

/** Asks the kernel: node may not have reported the end of the process yet. */
function isWaiting({ pid, exitCode, signalCode }: ReadyProcess['child']): boolean {
  if (pid === undefined || exitCode !== null || signalCode !== null) return false;
  const state = readStat(pid)?.state;
  return state !== undefined && state !== 'Z' && state !== 'X';
}
