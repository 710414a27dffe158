const LONGEST_MS = 40_000;

/**
 * For a command that is ended by its timeout: how long it needs until it has begun depends on the machine. It is run again with a longer timeout until it
 * has come so far.
 */
export async function withLongEnough<T>(
  firstMs: number,
  run: (timeoutMs: number) => Promise<T>,
  hasBegun: (ended: T) => boolean,
): Promise<T> {
  for (let timeoutMs = firstMs; ; timeoutMs *= 3) {
    const ended = await run(timeoutMs);
    if (hasBegun(ended) || timeoutMs * 3 > LONGEST_MS) return ended;
  }
}
