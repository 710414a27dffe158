// Limits on all processes of a command, applied to its first process before that can start another.
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Cgroup } from './cgroup.ts';
import type { Ending } from './run-process.ts';
import type { HeldLimits, Limits } from './sandbox.ts';
import { watchMemory } from './watch-memory.ts';

/** Lower priority than the person's programs: a busy command must not slow down Lainclaw. */
const NICENESS = 5;
/** When memory runs out, the kernel kills these processes first. */
const OUT_OF_MEMORY_SCORE = '1000';

/** For a process and all it will start: they are the last to run and the first to go when the machine has too little. */
export function yieldToOthers(pid: number): void {
  tryTo(() => setPriority(pid, NICENESS));
  tryTo(() => writeFileSync(`/proc/${pid}/oom_score_adj`, OUT_OF_MEMORY_SCORE));
}

/** Limits one process and all it will start. True when the process is in the control group. Never rejects. */
async function layLimits(pid: number, cgroup: Cgroup | undefined): Promise<boolean> {
  yieldToOthers(pid);
  if (!cgroup) return false;
  return cgroup.add(pid).then(
    () => true,
    () => false,
  );
}

export type Limiter = ReturnType<typeof createLimiter>;

/** Limits the first process of the sandbox while it waits at its gate. */
export function createLimiter({ memoryBytes }: Limits, cgroup: Cgroup | undefined) {
  let isInGroup = false;
  let isReleased = false;
  let watch: { stop(): void } | undefined;
  return {
    /**
     * The first change of membership after a quiet time costs the kernel some ten milliseconds, the next one nothing:
     * a process that is about to end pays for it while the mounts are still being planned.
     */
    warm: (pid: number): void => void cgroup?.add(pid).catch(() => {}),
    /** Never rejects. */
    async hold(pid: number): Promise<void> {
      isInGroup = await layLimits(pid, cgroup);
    },
    /** Instead of `hold`, for a process that was started with its limits. */
    holds(isHeldByGroup: boolean): void {
      isInGroup = isHeldByGroup;
    },
    /** Where the kernel does not count memory, from the start of the command on. */
    watch(pid: number, stop: (ending: Ending) => void): void {
      if (isReleased || (isInGroup && cgroup?.holdsMemory)) return;
      watch = watchMemory(pid, memoryBytes, () => stop('memory'));
    },
    release(): void {
      isReleased = true;
      watch?.stop();
    },
    held: (rlimitHoldsProcesses: boolean): HeldLimits => ({
      memory: 'tree',
      processes: rlimitHoldsProcesses || isInGroup ? 'tree' : 'none',
    }),
  };
}

function tryTo(action: () => void): void {
  try {
    action();
  } catch {
    // The process is gone, or the system does not allow it. The limits do not depend on it.
  }
}
