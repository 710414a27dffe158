// The waiters of this process for locks, by name: each takes a place behind the others and leaves it when it is done or gives up.

export interface Place {
  /** Resolves when everybody ahead has left; undefined when nobody is ahead. */
  ahead: Promise<void> | undefined;
  leave(): void;
}

export interface LockQueue {
  enter(name: string): Place;
  /** Whether somebody of this process holds the name or waits for it. */
  has(name: string): boolean;
}

export function createLockQueue(): LockQueue {
  const queues = new Map<string, Promise<void>>();
  return {
    enter(name) {
      const ahead = queues.get(name);
      const { promise: left, resolve } = Promise.withResolvers<void>();
      const tail = (ahead ?? Promise.resolve()).then(() => left);
      queues.set(name, tail);
      const leave = (): void => {
        resolve();
        if (queues.get(name) === tail) queues.delete(name);
      };
      return { ahead, leave };
    },
    has: (name) => queues.has(name),
  };
}

/** Rejects with the signal's reason when it fires first. */
export async function orAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return promise;
  // A caller that learns of the wait may give up right then.
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** Takes this process's turn for the name, then acquires it; the place is left when either fails. */
export async function acquireInTurn<T>(
  queue: LockQueue,
  name: string,
  { signal, onWait }: { signal?: AbortSignal; onWait?: () => void },
  acquire: (place: Place, sayWaiting: () => void) => Promise<T>,
): Promise<T> {
  signal?.throwIfAborted();
  const place = queue.enter(name);
  let hasWaited = false;
  const sayWaiting = (): void => {
    if (!hasWaited) onWait?.();
    hasWaited = true;
  };
  try {
    if (place.ahead) {
      sayWaiting();
      await orAborted(place.ahead, signal);
    }
    return await acquire(place, sayWaiting);
  } catch (error) {
    place.leave();
    throw error;
  }
}
