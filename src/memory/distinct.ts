// Several chunks of one document say much the same about where an answer is: distinct documents come first in a list. A further
// chunk counts for a share only, so it still comes before documents that hardly have to do with the query.
import type { Ranked } from './rank.ts';

const FURTHER_SHARE = 0.3;

/** `ranked` is in its order: the first chunk of a document keeps its score. The order of the result is the caller's. */
export function weighFurtherChunks(ranked: readonly Ranked[]): Ranked[] {
  const seen = new Set<string>();
  return ranked.map((entry) => {
    const { id } = entry.chunk.document;
    if (seen.has(id)) return { ...entry, score: entry.score * FURTHER_SHARE };
    seen.add(id);
    return entry;
  });
}
