// The times that a question names, and what is left of it: "what did Anna say last week" asks for what Anna said.
import { MemoryError } from '../memory-error.ts';
import type { TimeSpan } from './calendar.ts';
import type { TimeWords } from './rule.ts';
import { ALWAYS, findTimeWords } from './time-words.ts';

export interface AskedTimes {
  /** The likeliest first; empty when the question names no time. */
  spans: TimeSpan[];
  /** The question without words like "yesterday": in a text of another day they mean another day. */
  rest: string;
  /** The question without any word for a time. */
  subject: string;
  /** It names a time by its distance from now. */
  isRelative: boolean;
}

export function askedTimes(question: string, wall: number): AskedTimes {
  const words = findTimeWords(question, wall);
  const relative = words.filter(({ isRelative }) => isRelative);
  return {
    spans: words.flatMap(({ spans }) => spans),
    rest: without(question, relative),
    subject: without(question, words),
    isRelative: relative.length > 0,
  };
}

function without(question: string, words: readonly TimeWords[]): string {
  return words.reduceRight(
    (rest, { index, text }) => `${rest.slice(0, index)} ${rest.slice(index + text.length)}`,
    question,
  );
}

/** What `since` and `until` leave, both ends included; undefined when neither was given. */
export function limitsOf({ since, until }: { since?: string; until?: string }, wall: number): TimeSpan | undefined {
  if (since === undefined && until === undefined) return undefined;
  const from = since === undefined ? ALWAYS.from : momentOf(since, wall).from;
  const to = until === undefined ? ALWAYS.to : momentOf(until, wall).to;
  if (from < to) return { from, to };
  throw new MemoryError('MEMORY_BAD_DATE', `nothing can be since "${since}" and until "${until}": the end is first`);
}

/** A date, or words for a time. */
function momentOf(text: string, wall: number): TimeSpan {
  const [day = ''] = /^\d{4}-\d{2}-\d{2}(?=[T ])/.exec(text.trim()) ?? [];
  const [span] = findTimeWords(day === '' ? text : day, wall)[0]?.spans ?? yearAlone(text, wall);
  if (span) return span;
  throw new MemoryError(
    'MEMORY_BAD_DATE',
    `"${text}" is not a date: write it like 2026-12-31, or in words like "last week", 上周, "в марте"`,
  );
}

/** "2024" and "March" alone, which a sentence could mean otherwise. */
function yearAlone(text: string, wall: number): TimeSpan[] {
  const word = text.trim();
  const isOne = /^[\p{L}\d]{3,12}$/u.test(word);
  return isOne ? ((findTimeWords(`in ${word}`, wall)[0] ?? findTimeWords(`в ${word}`, wall)[0])?.spans ?? []) : [];
}
