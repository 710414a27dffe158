// The parts of a name that is written as one word: camelCase, letters and digits side by side. Only of plain Latin letters,
// and only of a few parts: what changes more often than a name is a number of no language, a checksum for example.
// And the other way round: a number written in groups (8,400, 555-0199) as one.
const COMPOUND = /[a-z][A-Z]|[A-Z]{2}[a-z]{2}|[A-Za-z][0-9]|[0-9][A-Za-z]/;
const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
const GROUPED = /(?<!\d)\d{1,15}(?:[-.,' ()]{1,2}\d{1,15})+(?!\d)/g;
const FEWEST_DIGITS = 4;
const MOST_DIGITS = 15;
const LONGEST = 64;
const MOST_PARTS = 6;

/** A quick look at a whole text: most have none. */
export function hasCompounds(text: string): boolean {
  return COMPOUND.test(text);
}

/** Empty for a simple word. A single letter says nothing by itself. */
export function partsOf(word: string): string[] {
  if (word.length > LONGEST || !COMPOUND.test(word)) return [];
  const parts = word.match(PART) ?? [];
  return parts.length > MOST_PARTS ? [] : parts.filter((part) => !/^[A-Za-z]$/.test(part));
}

/** Numbers that are written in groups, without what parts them. */
export function joinedNumbers(text: string): string[] {
  return (text.match(GROUPED) ?? [])
    .map((number) => number.replace(/\D/g, ''))
    .filter(({ length }) => length >= FEWEST_DIGITS && length <= MOST_DIGITS);
}
