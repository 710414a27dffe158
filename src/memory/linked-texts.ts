// Texts that share a rare word with the best ones, such as a name: "my dentist is Dr Okafor" leads to "Dr Okafor retired", which does not
// say "dentist". This is how a later statement is found that replaces an earlier one in other words.
import type { Archive, ArchiveChunk } from '../storage/archive.ts';
import type { Analyser } from './analysis/analyser.ts';
import { STOP_WORDS } from './analysis/stop-words.ts';

/** Only the best texts lead farther, and only when they have much of the question. */
const LEADING = 2;
const LEAST_RELEVANCE = 0.4;
/** A word in more chunks than this, or this share of all, links by chance; among few chunks, one in a quarter of them. */
const MOST_CHUNKS = 6;
const MOST_SHARE = 0.0005;
const MOST_OF_FEW = 0.25;
const FEWEST_CHUNKS = 2;
const MOST_WORDS = 6;
/** Of a long text the beginning leads. */
const MOST_COUNTED = 60;
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
  const texts = [...leading.map(({ chunk }) => chunk), ...(await answeredBy(leading, archive))];
  const words = new Set(texts.flatMap(({ text }) => analyser.terms(text)).filter(isTelling));
  const unasked = [...words].filter((word) => !asked.has(word)).slice(0, MOST_COUNTED);
  if (unasked.length === 0) return [];
  const most = mostHolding(chunks);
  const counts = await archive.frequencies(unasked, { upTo: most + 1 });
  const rare = [...counts]
    .filter(([, count]) => count > 1 && count <= most)
    .sort((a, b) => a[1] - b[1])
    .slice(0, MOST_WORDS)
    .map(([word]) => word);
  if (rare.length === 0) return [];
  const known = new Set(best.map(({ chunk }) => chunk.id));
  const { ids } = await archive.candidates(rare, MOST_LINKED + known.size);
  return archive.read(ids.filter((id) => !known.has(id)).slice(0, MOST_LINKED));
}

/** What a person had said where the best text is the answer to it: "I play the viola now." "A fine instrument." */
async function answeredBy(leading: readonly { chunk: ArchiveChunk }[], archive: Archive): Promise<ArchiveChunk[]> {
  const answers = leading.flatMap(({ chunk: { id, document } }) =>
    document.speaker === 'assistant' && document.session !== undefined ? [{ id, session: document.session }] : [],
  );
  if (answers.length === 0) return [];
  const around = await archive.around(answers, 1);
  return archive.read(around.flatMap(({ before }) => before));
}

/** In how many chunks a word is rare. */
function mostHolding(chunks: number): number {
  const few = Math.max(FEWEST_CHUNKS, Math.floor(chunks * MOST_OF_FEW));
  return Math.max(Math.min(MOST_CHUNKS, few), Math.floor(chunks * MOST_SHARE));
}

function isTelling(term: string): boolean {
  return !STOP_WORDS.has(term) && (term.length >= SHORTEST_WORD || PAIR.test(term));
}
