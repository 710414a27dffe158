// Who runs jobs: each scheduler holds one of a fixed set of locks under whose name its runs are on record. The kernel frees the
// lock with its process, so "is the owner of this run still there?" has a true answer at any moment, whatever the clock did.
import type { Lock, Locks } from '../storage/storage.ts';

const MOST_OWNERS = 64;

export interface Owner {
  name: string;
  release(): void;
}

export async function becomeOwner(locks: Locks, signal?: AbortSignal): Promise<Owner> {
  for (let number = 0; number < MOST_OWNERS; number += 1) {
    const name = `scheduler-${number}`;
    const lock = await acquireIfFree(locks, name, signal);
    if (lock) return { name, release: () => lock.release() };
  }
  throw new Error(`${MOST_OWNERS} schedulers are running already: end some of them`);
}

/** Undefined: somebody holds it. */
export async function acquireIfFree(locks: Locks, name: string, signal?: AbortSignal): Promise<Lock | undefined> {
  const taken = new AbortController();
  const either = signal ? AbortSignal.any([signal, taken.signal]) : taken.signal;
  try {
    return await locks.acquire(name, { signal: either, onWait: () => taken.abort() });
  } catch (error) {
    if (taken.signal.aborted && !signal?.aborted) return undefined;
    throw error;
  }
}
