// Ranks sections for a query: BM25 over their words, headings counting more than text. A word of the query also matches
// longer words that begin with it, and shorter ones that it extends by an ending, with a lower score. All words that match
// one word of the query count as one term, so a rare long form scores no more than the word itself.
import { englishFor } from './lexicon.ts';
import type { Page, Section } from './page.ts';
import { wordsOf } from './words.ts';

const K1 = 1.2;
const B = 0.75;
const HEADING_WEIGHT = 4;
const TRAIL_WEIGHT = 1;
/** Code examples count less: they often only mention a subject. */
const CODE_WEIGHT = 0.3;
const NEAR_WEIGHT = 0.7;
const SHORTEST_PREFIX = 3;
const LONGEST_ENDING = 3;
const MOST_QUERY_WORDS = 64;
/** Of each ranking, when there are two. */
const MOST_JOINED = 30;
const STOP_WORDS: ReadonlySet<string> = new Set(
  'a an and any are as at be but by can could do does for from get how i if in is it its me my of on or our should so some that the their them then there these they this to us want was we what when where which who why will with would you your'.split(
    ' ',
  ),
);

export interface Ranked {
  page: Page;
  section: Section;
  score: number;
}

interface Entry {
  page: Page;
  section: Section;
  counts: Map<string, number>;
  length: number;
}

export interface Ranking {
  /** Best first; only sections that match a word. */
  rank(query: string): Ranked[];
}

export function createRanking(pages: readonly Page[]): Ranking {
  const entries = pages.flatMap((page) => page.sections.map((section) => entryOf(page, section)));
  const averageLength = entries.reduce((sum, { length }) => sum + length, 0) / Math.max(1, entries.length);
  const vocabulary = new Set(entries.flatMap(({ counts }) => [...counts.keys()]));

  return {
    rank(query) {
      const scores = new Map<Entry, number>();
      for (const word of queryWords(query)) {
        const forms = [...vocabulary]
          .map((form) => [form, closeness(word, form)] as const)
          .filter(([, weight]) => weight > 0);
        const found = entries
          .map(
            (entry) =>
              [entry, forms.reduce((sum, [form, weight]) => sum + weight * (entry.counts.get(form) ?? 0), 0)] as const,
          )
          .filter(([, count]) => count > 0);
        const rarity = Math.log(1 + (entries.length - found.length + 0.5) / (found.length + 0.5));
        for (const [entry, count] of found) {
          const norm = K1 * (1 - B + (B * entry.length) / averageLength);
          scores.set(entry, (scores.get(entry) ?? 0) + (rarity * count * (K1 + 1)) / (count + norm));
        }
      }
      return [...scores]
        .map(([{ page, section }, score]) => ({ page, section, score: score * weightOf(page) }))
        .sort((a, b) => b.score - a.score);
    },
  };
}

const REFERENCE_PAGES: ReadonlySet<string> = new Set(['architecture.md', 'operations.md', 'glossary.md']);
/** Pages that list everything mention each subject, and explain few. */
const REFERENCE_WEIGHT = 0.6;
/** How much a place in one ranking counts less than the place before it. */
const FUSION = 10;

/** Both rankings as one: a section counts by its places in them. */
export function joinRankings(
  byWords: readonly Ranked[],
  likeness: ReadonlyMap<Section, number>,
  pages: readonly Page[],
): Ranked[] {
  const byMeaning = pages
    .flatMap((page) => page.sections.map((section) => ({ page, section, score: likeness.get(section) ?? 0 })))
    .sort((a, b) => b.score - a.score);
  const joined = new Map<Section, Ranked>();
  for (const ranking of [byWords, byMeaning])
    for (const [place, { page, section }] of ranking.slice(0, MOST_JOINED).entries()) {
      const score = (joined.get(section)?.score ?? 0) + weightOf(page) / (FUSION + place);
      joined.set(section, { page, section, score });
    }
  return [...joined.values()].sort((a, b) => b.score - a.score);
}

function weightOf({ path }: Page): number {
  return REFERENCE_PAGES.has(path) ? REFERENCE_WEIGHT : 1;
}

/** With the English words for what was asked in another language; without words that name no subject, unless there is nothing else. */
export function queryWords(query: string): string[] {
  const words = [...new Set([...wordsOf(query).slice(0, MOST_QUERY_WORDS), ...englishFor(query)])];
  const telling = words.filter((word) => !STOP_WORDS.has(word));
  return telling.length > 0 ? telling : words;
}

/** 1 for the same word, less for a form of it, 0 for another word. */
export function closeness(word: string, form: string): number {
  if (word === form) return 1;
  const [short, long] = word.length < form.length ? [word, form] : [form, word];
  if (short.length < SHORTEST_PREFIX || !long.startsWith(short)) return 0;
  const ending = long.length - short.length;
  if (short === form && ending > (short.length === SHORTEST_PREFIX ? 1 : LONGEST_ENDING)) return 0;
  return (NEAR_WEIGHT * short.length) / long.length;
}

function entryOf(page: Page, section: Section): Entry {
  const counts = new Map<string, number>();
  const add = (text: string, weight: number): number => {
    const words = wordsOf(text);
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + weight);
    return words.length;
  };
  const length = add(section.prose, 1) + add(section.code, CODE_WEIGHT);
  add(section.heading, HEADING_WEIGHT);
  add([page.path.replace(/\.md$/, ''), ...section.trail.slice(0, -1)].join(' '), TRAIL_WEIGHT);
  return { page, section, counts, length };
}
