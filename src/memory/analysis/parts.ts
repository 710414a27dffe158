// The parts of a name that is written as one word: camelCase, letters and digits side by side. Only of plain Latin letters,
// and only of a few parts: what changes more often than a name is a number of no language, a checksum for example.
const COMPOUND = /[a-z][A-Z]|[A-Z]{2}[a-z]{2}|[A-Za-z][0-9]|[0-9][A-Za-z]/;
const PART = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+/g;
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
