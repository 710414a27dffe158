// The limits on all processes of a command, laid on one of them before it can start any other.
import { writeFileSync } from 'node:fs';
import { setPriority } from 'node:os';
import type { Cgroup } from './cgroup.ts';
import type { Ending } from './run-process.ts';
import type { HeldLimits, Profile } from './sandbox.ts';
import { watchMemory } from './watch-memory.ts';

/** Behind what the person does: a command that spins must not make Lainclaw wait. */
const NICENESS = 5;
/** When memory runs out, these go first. */
const OUT_OF_MEMORY_SCORE = '1000';

/** On one process; all it will start inherit it. True when it is in the control group. Never rejects. */
export async function layLimits(pid: number, cgroup: Cgroup | undefined): Promise<boolean> {
  tryTo(() => setPriority(pid, NICENESS));
  tryTo(() => writeFileSync(`/proc/${pid}/oom_score_adj`, OUT_OF_MEMORY_SCORE));
  if (!cgroup) return false;
  return cgroup.add(pid).then(
    () => true,
    () => false,
  );
}

/**
 * What is laid on the first process of the sandbox while it waits at its gate. `isInGroup` is known where it was laid on
 * the process that became the sandbox.
 */
export function createLimiter({ limits }: Profile, cgroup: Cgroup | undefined, known?: boolean) {
  let isInGroup = known ?? false;
  let isReleased = false;
  let watch: { stop(): void } | undefined;
  return {
    /**
     * The first change of membership after a quiet time costs the kernel some ten milliseconds, the next one nothing:
     * a process that is about to end anyway takes the wait upon itself while the mounts are still being planned.
     */
    warm: (pid: number): void => void cgroup?.add(pid).catch(() => {}),
    /** Never rejects. */
    async hold(pid: number, stop: (ending: Ending) => void): Promise<void> {
      if (known === undefined) isInGroup = await layLimits(pid, cgroup);
      if (isReleased || (isInGroup && cgroup?.holdsMemory)) return;
      watch = watchMemory(pid, limits.memoryBytes, () => stop('memory'));
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
    // The process has gone, or the system does not allow it; the limits do not depend on it.
  }
}
