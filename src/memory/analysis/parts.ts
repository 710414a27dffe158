// Splits a name that is written as one word: camelCase, letters next to digits. Only plain Latin letters and only a few parts:
// a word with more changes is not a name but a checksum, for example. Also the reverse: joins a number written in groups
// (8,400, 555-0199) or with hyphens (wi-fi, e-mail).
const COMPOUND = /[a-z][A-Z]|[A-Z]{2}[a-z]{2}|[A-Za-z][0-9]|[0-9][A-Za-z]/;
const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const GROUPED = /(?<!\d)\d{1,15}(?:[-.,' ()]{1,2}\d{1,15})+(?!\d)/g;
const HYPHEN = /\p{L}[-\u2010\u2011]/u;
const HYPHENATED =
  /(?<![\p{L}\p{N}-])[\p{Script=Latin}\p{Script=Cyrillic}]{1,12}(?:[-\u2010\u2011][\p{Script=Latin}\p{Script=Cyrillic}\d]{1,12}){1,2}(?![\p{L}\p{N}-])/gu;
const FEWEST_DIGITS = 4;
const MOST_DIGITS = 15;
const LONGEST = 64;
const MOST_PARTS = 6;

/** A quick check of a whole text: most have no compounds. */
export function hasCompounds(text: string): boolean {
  return COMPOUND.test(text);
}

/** Empty for a simple word. Single letters are left out. */
export function partsOf(word: string): string[] {
  if (word.length > LONGEST || !COMPOUND.test(word)) return [];
  const parts = word.match(PART) ?? [];
  return parts.length > MOST_PARTS ? [] : parts.filter((part) => !/^[A-Za-z]$/.test(part));
}

/** Words written with hyphens, without them: who writes "wifi" means "wi-fi". */
export function joinedWords(text: string): string[] {
  if (!HYPHEN.test(text)) return [];
  return (text.match(HYPHENATED) ?? []).map((word) => word.replace(/[^\p{L}\p{N}]/gu, ''));
}

/** Numbers written in groups, without their separators. */
export function joinedNumbers(text: string): string[] {
  return (text.match(GROUPED) ?? [])
    .map((number) => number.replace(/\D/g, ''))
    .filter(({ length }) => length >= FEWEST_DIGITS && length <= MOST_DIGITS);
}
