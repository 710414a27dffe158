// Corrects typos in a query: a word that the archive does not contain is replaced by the most similar words it contains. Only
// in short queries, where each word matters; in a long question an unknown word is mostly a way of asking.
import { editDistance } from '../lib/nearest.ts';
import type { Candidates } from '../storage/archive.ts';
import { askingFor, type QueryTerms } from './analysis/analyser.ts';

const MOST_TERMS = 3;
const MOST_INSTEAD = 3;
const TERMS_LOOKED_AT = 20_000;
/** Typos are rare at the start of a word, so only words with the same start are compared. */
const HEAD = 2;
const LONG_WORD = 8;
const WORD =
  /^[\p{Script=Latin}\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Armenian}]{5,}$/u;

type TermsBeginning = (head: string, limit: number) => Promise<string[]>;

/** Undefined when every word is known, or nothing is similar. */
export async function withoutSlips(
  query: QueryTerms,
  { frequencies }: Pick<Candidates, 'frequencies'>,
  termsBeginning: TermsBeginning,
): Promise<QueryTerms | undefined> {
  const terms = [...query.terms];
  const unknown = terms.filter((term) => !frequencies.get(term) && WORD.test(term));
  if (terms.length > MOST_TERMS || unknown.length === 0) return undefined;
  const instead = await Promise.all(unknown.map((term) => termsLike(term, termsBeginning)));
  if (instead.every((found) => found.length === 0)) return undefined;
  return askingFor(query, [...terms.filter((term) => !unknown.includes(term)), ...instead.flat()]);
}

async function termsLike(term: string, termsBeginning: TermsBeginning): Promise<string[]> {
  const tooFar = (term.length >= LONG_WORD ? 2 : 1) + 1;
  const found = (await termsBeginning(term.slice(0, HEAD), TERMS_LOOKED_AT))
    .map((other) => ({ other, distance: editDistance(term, other, tooFar) }))
    .filter(({ distance }) => distance < tooFar)
    .sort((a, b) => a.distance - b.distance);
  return found
    .filter(({ distance }) => distance === found[0]?.distance)
    .slice(0, MOST_INSTEAD)
    .map(({ other }) => other);
}
