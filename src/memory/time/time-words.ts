// Finds the words of a text that name a time: "last week", 去年三月, "10 ноября". Pure: it works on wall times (calendar.ts), so
// the caller chooses the time zone. A library for points in time was tried and not used: it reads 十一月 as 一月 and "the march"
// as a month, gives points where a week or a month is meant, and each of these would need a rule of ours in front of it.
import { simplified } from '../analysis/traditional.ts';
import type { TimeSpan } from './calendar.ts';
import { CHINESE } from './chinese.ts';
import { ENGLISH } from './english.ts';
import { NUMERIC } from './numeric.ts';
import type { Groups, TimeLanguage, TimeWords } from './rule.ts';
import { RUSSIAN } from './russian.ts';

const LANGUAGES: readonly { script: RegExp; language: TimeLanguage }[] = [
  { script: /\d/u, language: NUMERIC },
  { script: /[a-z]/iu, language: ENGLISH },
  { script: /\p{Script=Han}/u, language: CHINESE },
  { script: /[а-я]/iu, language: RUSSIAN },
];
const LONGEST_TEXT = 20_000;
const MOST = 50;
/** Characters beside a hint that may belong to it. */
const BESIDE = 40;
/** The beginning and the end of what "since" and "until" leave open. */
export const ALWAYS: TimeSpan = { from: Date.UTC(1000, 0, 1), to: Date.UTC(3000, 0, 1) };

/** In the order of the text, at most fifty. `wall` is the wall time at which the text was said. */
export function findTimeWords(text: string, wall: number): TimeWords[] {
  const read = simplified(text.slice(0, LONGEST_TEXT)).replaceAll('ё', 'е').replaceAll('Ё', 'Е');
  const found: TimeWords[] = [];
  for (const { script, language } of LANGUAGES) {
    if (!script.test(read)) continue;
    for (const window of windowsIn(read, language.hint)) findIn(window, wall, language, found);
  }
  return found
    .sort((a, b) => a.index - b.index)
    .slice(0, MOST)
    .map((words) => ({ ...words, text: text.slice(words.index, words.index + words.text.length) }));
}

interface Window {
  text: string;
  /** Where it begins in the whole text. */
  start: number;
}

/** The parts of a text around its hints, cut between words. Trying every rule on the whole text would take fifty times as long. */
function windowsIn(text: string, hint: RegExp): Window[] {
  const windows: { from: number; to: number }[] = [];
  for (const { 0: words, index } of text.matchAll(hint)) {
    const from = text.lastIndexOf(' ', Math.max(0, index - BESIDE)) + 1;
    const space = text.indexOf(' ', index + words.length + BESIDE);
    const to = space === -1 ? text.length : space;
    const last = windows.at(-1);
    if (last && from <= last.to) last.to = Math.max(last.to, to);
    else windows.push({ from, to });
  }
  return windows.map(({ from, to }) => ({ text: text.slice(from, to), start: from }));
}

function findIn({ text, start }: Window, wall: number, language: TimeLanguage, found: TimeWords[]): void {
  for (const { pattern, isRelative, spans } of language.rules) {
    for (const match of text.matchAll(pattern)) {
      const [words] = match;
      const index = start + match.index;
      const isTaken = found.some(
        (other) => index < other.index + other.text.length && other.index < index + words.length,
      );
      const named = isTaken ? undefined : spans(lowerCase(match.groups ?? {}), wall);
      if (!named || named.length === 0) continue;
      const before = text.slice(0, match.index) + firstWord(words);
      const behind = text.slice(match.index + words.length);
      found.push({ index, text: words, spans: opened(named, language, before, behind), isRelative });
    }
  }
}

/** "Since March" and "before March" are open at one end. A preposition may belong to the words themselves. */
function opened(
  spans: readonly TimeSpan[],
  { since, until, sinceBehind, untilBehind }: TimeLanguage,
  before: string,
  behind: string,
): TimeSpan[] {
  const [likeliest] = spans;
  if (!likeliest) return [];
  if (since.test(before) || sinceBehind?.test(behind)) return [{ from: likeliest.from, to: ALWAYS.to }];
  if (until.test(before) || untilBehind?.test(behind)) return [{ from: ALWAYS.from, to: likeliest.from }];
  return [...spans];
}

function firstWord(words: string): string {
  return /^\S+\s/u.exec(words)?.[0] ?? '';
}

function lowerCase(groups: Groups): Groups {
  return Object.fromEntries(Object.entries(groups).map(([name, value]) => [name, value?.toLowerCase()]));
}
