// Splits a text into the words that the search compares: whole words in lower case without stemming, the parts of
// identifiers (`maxBytes`, `read_file`) in addition to the whole, and pairs of characters in scripts without spaces.
const RUN = /[\p{L}\p{M}\p{N}_]+/gu;
const UNSPACED = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}]+/gu;
const PART = /_+|(?<=[\p{Ll}\p{N}])(?=\p{Lu})/u;
const LONGEST_WORD = 64;

export function wordsOf(text: string): string[] {
  const words: string[] = [];
  for (const [run] of text.normalize('NFKC').matchAll(RUN)) {
    for (const [unspaced] of run.matchAll(UNSPACED)) words.push(...pairsOf(unspaced));
    for (const spaced of run.split(UNSPACED)) words.push(...spacedWords(spaced));
  }
  return words;
}

function spacedWords(run: string): string[] {
  const whole = run.replace(/^_+|_+$/g, '');
  if (whole === '') return [];
  const parts = whole.split(PART);
  return (parts.length > 1 ? [whole, ...parts] : [whole]).map((word) => word.toLowerCase().slice(0, LONGEST_WORD));
}

function pairsOf(run: string): string[] {
  const characters = [...run];
  if (characters.length === 1) return characters;
  return characters.slice(1).map((character, index) => `${characters[index]}${character}`);
}
