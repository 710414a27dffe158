// Reading a stream that may never say anything again.
import type { ModelFailure } from './adapter.ts';

export function cancelled(): ModelFailure {
  return { code: 'cancelled', message: 'Cancelled.' };
}

/**
 * Yields what the source yields, and throws the signal's reason the moment it fires, also while the source is silent.
 * The source is asked to close, but not waited for.
 */
export async function* untilAborted<T>(source: AsyncIterable<T>, signal: AbortSignal): AsyncGenerator<T> {
  const iterator = source[Symbol.asyncIterator]();
  let onAbort = (): void => {};
  const listener = (): void => onAbort();
  signal.addEventListener('abort', listener, { once: true });
  let isOpen = true;
  try {
    for (;;) {
      signal.throwIfAborted();
      const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
        onAbort = () => reject(signal.reason);
        iterator.next().then(resolve, reject);
      });
      if (next.done) {
        isOpen = false;
        return;
      }
      yield next.value;
    }
  } finally {
    signal.removeEventListener('abort', listener);
    if (isOpen) iterator.return?.(undefined)?.catch(() => {});
  }
}
