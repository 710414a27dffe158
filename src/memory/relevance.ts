// How much of a question a text has to do with it: the share of the question's information that is in the text, between 0 and 1. A rare
// word carries more than a common one. Unlike a rank it does not depend on what else was found, so it can be compared with a threshold.
import type { Candidates } from '../storage/archive.ts';

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

/** The information of each term of a question. */
export function informationOf(
  terms: Iterable<string>,
  { chunks, frequencies }: Pick<Candidates, 'chunks' | 'frequencies'>,
): Map<string, number> {
  const all = Math.max(chunks, SMALLEST_ARCHIVE);
  return new Map([...terms].map((term) => [term, information(term, frequencies.get(term) ?? 0, all)]));
}

export function relevanceOf(matched: Iterable<string>, informationOfTerms: ReadonlyMap<string, number>): number {
  let total = 0;
  for (const information of informationOfTerms.values()) total += information;
  let found = 0;
  for (const term of new Set(matched)) found += informationOfTerms.get(term) ?? 0;
  return total > 0 ? found / total : 0;
}

function information(term: string, holding: number, all: number): number {
  const rarity = Math.log(1 + (all - holding + 0.5) / (holding + 0.5)) / Math.log(1 + (all + 0.5) / 0.5);
  if (FEW_DIGITS.test(term)) return rarity * SMALL_NUMBER;
  if (!DENSE.test(term)) return holding === 0 ? rarity * WORD_NOBODY_WROTE : rarity;
  if ([...term].length === 1) return rarity * SINGLE_CHARACTER;
  return holding === 0 ? rarity * PAIR_NOBODY_WROTE : rarity;
}
