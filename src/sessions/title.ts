// A title for a conversation, made of its first question at once: no model is asked.
import { wholeCharacters } from '../lib/whole-characters.ts';

const LONGEST_MADE = 60;
/** A cut in the middle of a sentence is made between words, unless that would leave less than this. */
const SHORTEST_MADE = 20;
const LONGEST_GIVEN = 120;
/** Anything but blanks and the marks of ASCII. */
const WORDS = /[^\s!-/:-@[-`{-~]/;

/** The first sentence of a text, shortened; undefined where there are no words. */
export function titleFrom(question: string): string | undefined {
  const line = question
    .split('\n')
    .map((each) => oneLine(each).replace(/^[\s#>*`-]+/, ''))
    .find((each) => WORDS.test(each));
  if (line === undefined) return undefined;
  const [sentence = line] = line.split(/(?<=[.!?])\s|(?<=[。！？])/);
  return shortened(sentence, LONGEST_MADE);
}

/** A title that a person gave, on one line; empty where there is nothing to read. */
export function givenTitle(text: string): string {
  return shortened(oneLine(text), LONGEST_GIVEN);
}

/** The beginning of a text on one line, cut between words. */
export function shortened(text: string, longest: number): string {
  const whole = oneLine(text);
  if (whole.length <= longest) return whole;
  const cut = wholeCharacters(whole.slice(0, longest - 1));
  const space = cut.lastIndexOf(' ');
  return `${(space >= SHORTEST_MADE ? cut.slice(0, space) : cut).trimEnd()}…`;
}

function oneLine(text: string): string {
  // Enough for any title: a question may be a megabyte long.
  return text.slice(0, 2_000).replace(/\s+/g, ' ').trim();
}
