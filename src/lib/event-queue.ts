/** A queue of events with many writers and one reader: pushed at any time, iterated until closed. */
export interface EventQueue<T> extends AsyncIterable<T> {
  push(event: T): void;
  close(): void;
}

export function createEventQueue<T>(): EventQueue<T> {
  const waiting: T[] = [];
  let closed = false;
  let wake = (): void => {};
  return {
    push(event) {
      waiting.push(event);
      wake();
    },
    close() {
      closed = true;
      wake();
    },
    async *[Symbol.asyncIterator]() {
      for (;;) {
        while (waiting.length > 0) yield waiting.shift() as T;
        if (closed) return;
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
    },
  };
}
