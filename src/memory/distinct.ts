// Several chunks of one document say much the same about where an answer is, and a text that was said again says nothing new:
// distinct documents with distinct texts come first in a list. What comes further counts for a share only, so it still comes
// before documents that hardly have to do with the query.
import type { Ranked } from './rank.ts';

const FURTHER_SHARE = 0.3;

/** `ranked` is in its order: the first chunk of a document or text keeps its score. The order of the result is the caller's. */
export function weighFurtherChunks(ranked: readonly Ranked[]): Ranked[] {
  const documents = new Set<string>();
  const texts = new Set<string>();
  return ranked.map((entry) => {
    const { document, text } = entry.chunk;
    const isFurther = documents.has(document.id) || texts.has(text.trim());
    documents.add(document.id);
    texts.add(text.trim());
    return isFurther ? { ...entry, score: entry.score * FURTHER_SHARE } : entry;
  });
}
