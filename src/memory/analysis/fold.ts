// One spelling for what people write in several: letters with accents plain, vowel signs and stress marks left out, the
// Arabic article and the letters that stand for each other made one.

/** Latin letters that no decomposition makes plain. */
const PLAIN: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };
const SPECIAL = /[ßæœøłđðþı]/g;
const MARKED = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Greek}\p{Script=Cyrillic}]/u;
const ARABIC = /^\p{Script=Arabic}+$/u;
/** "the", alone or with "and", "with", "as", "so" before it. */
const ARABIC_ARTICLE = /^(?:[وبكف]?ال|لل)(?=.{2})/u;

export function foldLatin(word: string): string {
  return withoutMarks(word).replace(SPECIAL, (letter) => PLAIN[letter] ?? letter);
}

/** In other scripts, of India for example, marks are vowels and stay. */
export function foldMarks(word: string): string {
  if (!MARKED.test(word)) return word;
  // What a letter is made with (й, ї) is no mark upon it.
  const plain = word.normalize('NFC').replace(/[\p{Script=Cyrillic}]\p{M}+/gu, (letter) => letter.slice(0, 1));
  if (/\p{Script=Cyrillic}/u.test(plain)) return plain;
  const bare = withoutMarks(plain).replaceAll('ـ', '');
  if (!ARABIC.test(bare)) return bare.replaceAll('ς', 'σ');
  return bare.replace(/[ٱ]/g, 'ا').replaceAll('ى', 'ي').replaceAll('ة', 'ه').replace(ARABIC_ARTICLE, '');
}

function withoutMarks(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '');
}
