// What the rules of one language say about time words, and how they are found in a text.
import type { TimeSpan } from './calendar.ts';

export interface TimeWords {
  /** Where the words are in the text. */
  index: number;
  text: string;
  /** The likeliest first: "on Friday" is the last one or the next. */
  spans: TimeSpan[];
  /** True for "yesterday", whose words say nothing in another text; false for "10 November". */
  isRelative: boolean;
}

/** The named groups of a match, in lower case. */
export type Groups = Readonly<Record<string, string | undefined>>;

export interface TimeRule {
  /** With the flags g, i and u. */
  pattern: RegExp;
  isRelative: boolean;
  /** Undefined when the words are not a time after all (31 April). */
  spans(groups: Groups, wall: number): readonly TimeSpan[] | undefined;
}

export interface TimeLanguage {
  /** Matches near every time that the rules know, and is quick: the rules are tried around its matches only. Global. */
  hint: RegExp;
  /** In order: where two rules match the same words the first one counts. */
  rules: readonly TimeRule[];
  /** Right before the words: what they begin or end. */
  since: RegExp;
  until: RegExp;
  /** Right behind the words, likewise. */
  sinceBehind?: RegExp;
  untilBehind?: RegExp;
}

export function relative(pattern: RegExp, spans: TimeRule['spans']): TimeRule {
  return { pattern, isRelative: true, spans };
}

export function absolute(pattern: RegExp, spans: TimeRule['spans']): TimeRule {
  return { pattern, isRelative: false, spans };
}

/** The alternatives of a table, the longest first, so that none hides another. */
export function oneOf(table: Readonly<Record<string, unknown>>): string {
  return Object.keys(table)
    .toSorted((a, b) => b.length - a.length)
    .join('|');
}

export function only(span: TimeSpan | undefined): readonly TimeSpan[] | undefined {
  return span && [span];
}
