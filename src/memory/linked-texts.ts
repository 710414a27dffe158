// Texts that share a rare word with the best ones, such as a name: "my dentist is Dr Okafor" leads to "Dr Okafor retired", which does not
// say "dentist". This is how a later statement is found that replaces an earlier one in other words.
import type { Archive, ArchiveChunk } from '../storage/archive.ts';
import type { Analyser } from './analysis/analyser.ts';
import { STOP_WORDS } from './analysis/stop-words.ts';

/** Only the best texts lead farther, and only when they have much of the question. */
const LEADING = 2;
const LEAST_RELEVANCE = 0.5;
/** A word in more chunks than this, or this share of all, links by chance. */
const MOST_CHUNKS = 6;
const MOST_SHARE = 0.0005;
const MOST_WORDS = 5;
const MOST_LINKED = 4;
const SHORTEST_WORD = 3;
/** Two characters of a script without spaces. */
const PAIR = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]{2}$/u;

export async function findLinked(
  { archive, analyser }: { archive: Archive; analyser: Analyser },
  best: readonly { chunk: ArchiveChunk; relevance: number }[],
  asked: ReadonlySet<string>,
  chunks: number,
): Promise<ArchiveChunk[]> {
  const leading = best.slice(0, LEADING).filter(({ relevance }) => relevance >= LEAST_RELEVANCE);
  const words = new Set(leading.flatMap(({ chunk }) => analyser.terms(chunk.text)).filter(isTelling));
  const unasked = [...words].filter((word) => !asked.has(word));
  if (unasked.length === 0) return [];
  const most = Math.max(MOST_CHUNKS, chunks * MOST_SHARE);
  const rare = [...(await archive.frequencies(unasked))]
    .filter(([, count]) => count > 1 && count <= most)
    .sort((a, b) => a[1] - b[1])
    .slice(0, MOST_WORDS)
    .map(([word]) => word);
  if (rare.length === 0) return [];
  const known = new Set(best.map(({ chunk }) => chunk.id));
  const { ids } = await archive.candidates(rare, MOST_LINKED + known.size);
  return archive.read(ids.filter((id) => !known.has(id)).slice(0, MOST_LINKED));
}

function isTelling(term: string): boolean {
  return !STOP_WORDS.has(term) && (term.length >= SHORTEST_WORD || PAIR.test(term));
}
