/** Time limit of a call. The clock pauses while the call is held. */
export interface CallLimit {
  /** Fires when the time is over. */
  signal: AbortSignal;
  /** Pauses the clock until every holder has called the returned function. */
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
      // A later release must not start the clock again.
      holders = Number.POSITIVE_INFINITY;
    },
  };
}
