// A clock that stands still until it is moved. Timers count the time that passes; the wall can be set apart from it, as people
// and time servers do. After each ring it waits until everything that was set off has come to rest: calls into tracked objects
// are counted, and between them nothing but microtasks can happen.

interface Timer {
  at: number;
  order: number;
  callback(): void;
}

export interface SimulatedClock {
  now(): number;
  timer(ms: number, callback: () => void): () => void;
  /** Resolves after that much time. */
  sleep(ms: number): Promise<void>;
  /** Counts the calls of its methods until they have settled. */
  track<T extends object>(target: T): T;
  /** Lets time pass, ringing every timer on the way. */
  advance(ms: number): Promise<void>;
  advanceTo(wall: number): Promise<void>;
  /** The wall jumps; timers do not notice. Also what a suspended machine does. */
  setWall(wall: number): void;
  rest(): Promise<void>;
  /** Forgets every timer, as the end of a process does. */
  forgetTimers(): void;
}

export function createSimulatedClock(start: number): SimulatedClock {
  let passed = 0;
  let wall = start;
  let order = 0;
  let busy = 0;
  let timers: Timer[] = [];

  async function rest(): Promise<void> {
    do await new Promise((resolve) => setImmediate(resolve));
    while (busy > 0);
  }

  function timer(ms: number, callback: () => void): () => void {
    order += 1;
    const made = { at: passed + Math.max(ms, 0), order, callback };
    timers.push(made);
    return () => {
      timers = timers.filter((other) => other !== made);
    };
  }

  function move(to: number): void {
    wall += to - passed;
    passed = to;
  }

  async function advance(ms: number): Promise<void> {
    const end = passed + ms;
    await rest();
    for (;;) {
      const next = timers.reduce<Timer | undefined>(
        (best, one) => (!best || one.at < best.at || (one.at === best.at && one.order < best.order) ? one : best),
        undefined,
      );
      if (!next || next.at > end) break;
      timers = timers.filter((other) => other !== next);
      move(Math.max(next.at, passed));
      next.callback();
      await rest();
    }
    move(end);
  }

  return {
    now: () => wall,
    timer,
    sleep: (ms) => new Promise((resolve) => timer(ms, resolve)),
    track: (target) =>
      new Proxy(target, {
        get(object, key, receiver) {
          const value = Reflect.get(object, key, receiver);
          if (typeof value !== 'function') return value;
          return (...args: unknown[]) => {
            const result = value.apply(object, args);
            if (!(result instanceof Promise)) return result;
            busy += 1;
            return result.finally(() => {
              busy -= 1;
            });
          };
        },
      }),
    advance,
    advanceTo: (target) => advance(Math.max(0, target - wall)),
    setWall(to) {
      wall = to;
    },
    rest,
    forgetTimers() {
      timers = [];
    },
  };
}
