// What happens next, in the order of its time; of two at the same time the one that was added first.
interface Entry {
  at: number;
  order: number;
  run(): void;
}

export interface EventQueue {
  readonly now: number;
  after(seconds: number, run: () => void): void;
  /** Runs what is due until the time has come or nothing is left. */
  runUntil(end: number): void;
}

export function createEventQueue(): EventQueue {
  const heap: Entry[] = [];
  let now = 0;
  let added = 0;

  function isBefore(one: number, other: number): boolean {
    const [a, b] = [heap[one], heap[other]];
    if (!a || !b) return b === undefined && a !== undefined;
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  function swap(one: number, other: number): void {
    const [a, b] = [heap[one], heap[other]];
    if (!a || !b) return;
    heap[one] = b;
    heap[other] = a;
  }

  function rise(from: number): void {
    for (let at = from; at > 0; ) {
      const parent = (at - 1) >> 1;
      if (!isBefore(at, parent)) return;
      swap(at, parent);
      at = parent;
    }
  }

  function sink(from: number): void {
    for (let at = from; ; ) {
      const [left, right] = [2 * at + 1, 2 * at + 2];
      const smaller = isBefore(right, left) ? right : left;
      if (!heap[smaller] || !isBefore(smaller, at)) return;
      swap(at, smaller);
      at = smaller;
    }
  }

  function takeFirst(): Entry | undefined {
    const first = heap[0];
    const last = heap.pop();
    if (first && last && heap.length > 0) {
      heap[0] = last;
      sink(0);
    }
    return first;
  }

  return {
    get now() {
      return now;
    },
    after(seconds, run) {
      heap.push({ at: now + seconds, order: added++, run });
      rise(heap.length - 1);
    },
    runUntil(end) {
      while ((heap[0]?.at ?? Number.POSITIVE_INFINITY) <= end) {
        const next = takeFirst();
        if (!next) return;
        now = next.at;
        next.run();
      }
      now = end;
    },
  };
}
