// Gives vectors to new chunks beside whatever else the process does. Each use of the archive wakes it; it works for a
// bounded while, leaves the work to another process that is at it, and rests after a failure. It starts a moment after
// it was woken: a command that ends at once never loads a model for nothing.
const START_AFTER_MS = 250;
const LONGEST_MS = 60_000;
const REST_AFTER_FAILURE_MS = 60_000;
/** Beyond the time to work in: a model may have to be loaded first. */
const LOADING_MS = 8_000;

export interface Background {
  /** The archive was used: something may lack a vector. */
  wake(): void;
  /** Lets it work for at most so long, starting at once. Resolves also when it failed: vectors are an extra. */
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
      // A search says why there are no vectors; here nobody is listening.
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
