// The owner of runs: each scheduler holds one of a fixed set of locks, and its runs are recorded under the name of that lock. The
// lock of a dead process becomes free, so whether the owner of a run is alive can always be checked, whatever the clock did.
import type { Lock, Locks } from '../storage/locks.ts';

const MOST_OWNERS = 1_000;

/** Acquires the first free name. */
export async function becomeOwner(locks: Locks, signal?: AbortSignal): Promise<Lock> {
  for (let number = 0; number < MOST_OWNERS; number += 1) {
    signal?.throwIfAborted();
    const lock = await locks.tryAcquire(`scheduler-${number}`);
    if (lock) return lock;
  }
  throw new Error(`${MOST_OWNERS} schedulers are running already: end some of them`);
}
