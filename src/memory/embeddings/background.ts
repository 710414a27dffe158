// Embeds new chunks in the background. Each use of the archive wakes it; it works for a bounded time, leaves the work to
// another process that already embeds, and pauses after a failure. It starts a moment after it was woken, so that a short
// command does not load a model for nothing.
const START_AFTER_MS = 250;
const LONGEST_MS = 60_000;
const REST_AFTER_FAILURE_MS = 60_000;
/** Extra time for loading a model. */
const LOADING_MS = 8_000;

export interface Background {
  /** Called when the archive was used: some chunks may have no vector. */
  wake(): void;
  /** Works for at most this long, starting at once. Resolves also after a failure: vectors are optional. */
  settle(options: { milliseconds: number; signal?: AbortSignal }): Promise<void>;
  close(): void;
}

export function createBackground(
  embed: (options: { signal: AbortSignal; milliseconds: number }) => Promise<unknown>,
): Background {
  const ending = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let isRunning = false;
  let isWokenAgain = false;
  let restUntil = 0;

  async function work(): Promise<void> {
    if (isRunning || ending.signal.aborted || performance.now() < restUntil) return;
    isRunning = true;
    try {
      await embed({ signal: ending.signal, milliseconds: LONGEST_MS });
    } catch {
      // A search says why there are no vectors; here nobody reads it.
      restUntil = performance.now() + REST_AFTER_FAILURE_MS;
    }
    isRunning = false;
    if (isWokenAgain) {
      isWokenAgain = false;
      wake();
    }
  }

  function wake(): void {
    if (isRunning) isWokenAgain = true;
    if (isRunning || timer || ending.signal.aborted) return;
    timer = setTimeout(() => {
      timer = undefined;
      void work();
    }, START_AFTER_MS).unref();
  }

  return {
    wake,
    async settle({ milliseconds, signal }) {
      clearTimeout(timer);
      timer = undefined;
      if (isRunning || ending.signal.aborted) return;
      const signals = [ending.signal, AbortSignal.timeout(milliseconds + LOADING_MS), ...(signal ? [signal] : [])];
      isRunning = true;
      await embed({ signal: AbortSignal.any(signals), milliseconds }).catch(() => {});
      isRunning = false;
    },
    close() {
      clearTimeout(timer);
      ending.abort();
    },
  };
}
