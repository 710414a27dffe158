// Who said what was said. The name of a speaker is a word of the text for the index, and a question that names one asks for what that person said. It
// is not part of the meaning: people seldom say their own name, so a vector of a question with it is nearest to what others told them.
import type { ArchiveChunk } from '../storage/archive.ts';
import type { Analyser, QueryTerms } from './analysis/analyser.ts';

/** Speakers that are not names: a question about the user does not ask for what the user said. */
const ROLES: ReadonlySet<string> = new Set(['user', 'assistant']);
const WORD = /[\p{L}\p{N}\p{M}]+(?:['’]s(?![\p{L}\p{N}]))?/gu;
/** Scripts without spaces: a name is looked for as it is. */
const DENSE = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Thai}]/u;

export function isName(speaker: string): boolean {
  return !ROLES.has(speaker);
}

/** Whether the query names the person who said a chunk. */
export function isSaidByAsked({ document: { speaker } }: ArchiveChunk, asked: QueryTerms, analyser: Analyser): boolean {
  return speaker !== undefined && isName(speaker) && analyser.terms(speaker).some((term) => asked.terms.has(term));
}

/** The question without the names of those who said these chunks; as it is when nothing else would be left to ask. */
export function withoutSpeakers(question: string, chunks: readonly ArchiveChunk[], analyser: Analyser): string {
  const names = new Set(chunks.flatMap(({ document: { speaker } }) => speaker ?? []).filter(isName));
  if (names.size === 0) return question;
  const terms = new Set([...names].flatMap((name) => analyser.terms(name)));
  const spaced = [...names]
    .filter((name) => DENSE.test(name))
    .reduce((rest, name) => rest.replaceAll(name, ' '), question);
  const rest = spaced
    .replace(WORD, (word) => (DENSE.test(word) || !isNameIn(word, terms, analyser) ? word : ' '))
    .replace(/\s+/gu, ' ')
    .trim();
  const { terms: left, hasOnlyStopWords } = analyser.query(rest);
  return left.size === 0 || hasOnlyStopWords ? question : rest;
}

function isNameIn(word: string, names: ReadonlySet<string>, analyser: Analyser): boolean {
  const own = analyser.terms(word.replace(/['’]s$/u, ''));
  return own.length > 0 && own.every((term) => names.has(term));
}
