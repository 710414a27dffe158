// How much of a question a text has to do with it: the share of the question's information that is in the text, between 0 and 1. A rare
// word carries more than a common one. Unlike a rank it does not depend on what else was found, so it can be compared with a threshold.
import type { Candidates } from '../storage/archive.ts';
import type { QueryTerms } from './analysis/analyser.ts';

/** In a small archive every word is rare or common by chance: it counts as part of one of this size. */
const SMALLEST_ARCHIVE = 1_000;
/** Pairs of characters without a space often cross two words, and single ones are in many words: alone they say little. */
const PAIR_NOBODY_WROTE = 0.15;
const SINGLE_CHARACTER = 0.3;
/** A word that nobody wrote is mostly a way of asking. */
const WORD_NOBODY_WROTE = 0.5;
/** A small number is in many texts by chance. */
const SMALL_NUMBER = 0.3;
const FEW_DIGITS = /^\d{1,3}$/;
const DENSE = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

export interface Information {
  value: number;
  /** The term of the question that it belongs to: a weaker match has a part of that term's, and both count once. */
  of: string;
}

/** The information of each term of a question. */
export function informationOf(
  { terms, weak }: Pick<QueryTerms, 'terms' | 'weak'>,
  { chunks, frequencies }: Pick<Candidates, 'chunks' | 'frequencies'>,
): Map<string, Information> {
  const all = Math.max(chunks, SMALLEST_ARCHIVE);
  return new Map(
    [...terms].map((term) => {
      const { of = term, share } = weak?.get(term) ?? {};
      const own = information(of, frequencies.get(of) ?? 0, all);
      return [term, { of, value: of === term || share === undefined ? own : own * share }];
    }),
  );
}

export function relevanceOf(matched: Iterable<string>, informationOfTerms: ReadonlyMap<string, Information>): number {
  let total = 0;
  for (const [term, { of, value }] of informationOfTerms) if (of === term) total += value;
  const found = new Map<string, number>();
  for (const term of matched) {
    const { of, value } = informationOfTerms.get(term) ?? { of: term, value: 0 };
    if (informationOfTerms.has(of)) found.set(of, Math.max(found.get(of) ?? 0, value));
  }
  const sum = [...found.values()].reduce((a, b) => a + b, 0);
  return total > 0 ? sum / total : 0;
}

function information(term: string, holding: number, all: number): number {
  const rarity = Math.log(1 + (all - holding + 0.5) / (holding + 0.5)) / Math.log(1 + (all + 0.5) / 0.5);
  if (FEW_DIGITS.test(term)) return rarity * SMALL_NUMBER;
  if (!DENSE.test(term)) return holding === 0 ? rarity * WORD_NOBODY_WROTE : rarity;
  if ([...term].length === 1) return rarity * SINGLE_CHARACTER;
  return holding === 0 ? rarity * PAIR_NOBODY_WROTE : rarity;
}
