/** How long a call may take, not counting the time in which somebody holds it. */
export interface CallLimit {
  /** Fires when the time is over. */
  signal: AbortSignal;
  /** The clock stands still until every holder has let go. */
  hold(): () => void;
  end(): void;
}

export function createCallLimit(ms: number, late: () => Error, now: () => number = () => performance.now()): CallLimit {
  const control = new AbortController();
  let left = ms;
  let holders = 0;
  let startedAt = 0;
  let timer: NodeJS.Timeout | undefined;
  const run = (): void => {
    startedAt = now();
    timer = setTimeout(() => control.abort(late()), Math.max(0, left));
  };
  run();
  return {
    signal: control.signal,
    hold() {
      if (holders === 0) {
        clearTimeout(timer);
        left -= now() - startedAt;
      }
      holders += 1;
      let isHeld = true;
      return () => {
        if (!isHeld) return;
        isHeld = false;
        holders -= 1;
        if (holders === 0) run();
      };
    },
    end() {
      clearTimeout(timer);
      // Whoever lets go afterwards starts nothing.
      holders = Number.POSITIVE_INFINITY;
    },
  };
}
