// BM25 as the textbooks have it, over whole texts: the reference for how the archive finds. It has the same words (stems, without stop-words in a
// question), and nothing else of the archive: no chunks, no spelling, no everyday words, no ties by date.
import type { Analyser } from '../src/memory/analysis/analyser.ts';

/** The settings in common use: those of SQLite and most libraries, and those of Anserini. */
const SETTINGS = [
  { k1: 1.2, b: 0.75 },
  { k1: 0.9, b: 0.4 },
];

/** The ids of the best texts for a question. */
export type PlainSearch = (question: string, limit: number) => string[];

/** One search for each of the usual settings. */
export function plainSearch(texts: readonly { id: string; text: string }[], analyser: Analyser): PlainSearch[] {
  const holding = new Map<string, number>();
  const counted = texts.map(({ id, text }) => {
    const counts = new Map<string, number>();
    const terms = analyser.terms(text);
    for (const term of terms) counts.set(term, (counts.get(term) ?? 0) + 1);
    for (const term of counts.keys()) holding.set(term, (holding.get(term) ?? 0) + 1);
    return { id, counts, length: terms.length };
  });
  const average = counted.reduce((sum, { length }) => sum + length, 0) / counted.length;
  const rarity = (term: string): number => {
    const texts = holding.get(term) ?? 0;
    return Math.log(1 + (counted.length - texts + 0.5) / (texts + 0.5));
  };
  return SETTINGS.map(({ k1, b }) => (question, limit) => {
    const weights = [...analyser.query(question).terms].map((term) => [term, rarity(term)] as const);
    return counted
      .map(({ id, counts, length }) => {
        const score = weights.reduce((sum, [term, weight]) => {
          const count = counts.get(term) ?? 0;
          return sum + (weight * count * (k1 + 1)) / (count + k1 * (1 - b + (b * length) / average));
        }, 0);
        return { id, score };
      })
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, limit)
      .map(({ id }) => id);
  });
}
