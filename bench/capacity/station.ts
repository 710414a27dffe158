// A place where work waits in a line for one of a number of servers: the cores of a database, the one thread of a gateway, or
// the turns that a gateway runs at once.
import type { EventQueue } from './event-queue.ts';

export interface Station {
  /** Takes a server, when one is free. The caller gives it back with `leave`. */
  enter(run: () => void): void;
  leave(): void;
  /** Takes a server for so long, and runs what follows. */
  serve(seconds: number, then: () => void): void;
  /** The share of its servers that worked, since the last `forget`. */
  busyShare(): number;
  waiting(): number;
  forget(): void;
}

export function createStation(events: EventQueue, servers: number): Station {
  const line: (() => void)[] = [];
  let head = 0;
  let busy = 0;
  let busySeconds = 0;
  let since = 0;
  let lastChange = 0;

  function count(change: number): void {
    busySeconds += busy * (events.now - lastChange);
    lastChange = events.now;
    busy += change;
  }

  function leave(): void {
    const next = line[head];
    if (!next) {
      count(-1);
      return;
    }
    head += 1;
    if (head > 10_000) head -= line.splice(0, head).length;
    next();
  }

  function enter(run: () => void): void {
    if (busy >= servers) {
      line.push(run);
      return;
    }
    count(1);
    run();
  }

  return {
    enter,
    leave,
    serve(seconds, then) {
      enter(() =>
        events.after(seconds, () => {
          leave();
          then();
        }),
      );
    },
    busyShare() {
      count(0);
      return busySeconds / (servers * Math.max(events.now - since, Number.MIN_VALUE));
    },
    waiting: () => line.length - head,
    forget() {
      count(0);
      busySeconds = 0;
      since = events.now;
    },
  };
}
