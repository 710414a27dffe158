// What decides which chunks are candidates, whichever database finds them: the weight of a term, which terms are looked at, and how many chunks are read.

/** Chunks that are read for one query: more would hardly change the order. */
export const POSTINGS_BUDGET = 150_000;
export const TERMS_LIMIT = 48;

/** What a chunk gains by a term that `count` of all `chunks` hold. */
export function weightOf(chunks: number, count: number): number {
  return Math.log(1 + (chunks - count + 0.5) / (count + 0.5));
}

/** The terms that are in the index at all. */
export function rarestFirst(frequencies: ReadonlyMap<string, number>): [term: string, count: number][] {
  return [...frequencies].filter(([, count]) => count > 0).sort((a, b) => a[1] - b[1]);
}
