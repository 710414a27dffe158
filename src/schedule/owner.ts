// Who runs jobs: each scheduler holds one of a fixed set of locks under whose name its runs are on record. A dead process's lock
// becomes free, so "is the owner of this run still there?" has a true answer at any moment, whatever the clock did.
import type { Lock, Locks } from '../storage/locks.ts';

const MOST_OWNERS = 64;

/** Acquires the first free name. */
export async function becomeOwner(locks: Locks, signal?: AbortSignal): Promise<Lock> {
  for (let number = 0; number < MOST_OWNERS; number += 1) {
    signal?.throwIfAborted();
    const lock = await locks.tryAcquire(`scheduler-${number}`);
    if (lock) return lock;
  }
  throw new Error(`${MOST_OWNERS} schedulers are running already: end some of them`);
}
