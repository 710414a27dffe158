// Folds different spellings into one: removes accents, vowel signs, stress marks and the Arabic article, and unifies letters
// that are used for each other.

/** Latin letters without a decomposition. */
const PLAIN: Record<string, string> = { ß: 'ss', æ: 'ae', œ: 'oe', ø: 'o', ł: 'l', đ: 'd', ð: 'd', þ: 'th', ı: 'i' };
const SPECIAL = /[ßæœøłđðþı]/g;
const MARKED = /[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Greek}\p{Script=Cyrillic}]/u;
const ARABIC = /^\p{Script=Arabic}+$/u;
/** The Arabic article, alone or after "and", "with", "as", "so". */
const ARABIC_ARTICLE = /^(?:[وبكف]?ال|لل)(?=.{2})/u;

export function foldLatin(word: string): string {
  return withoutMarks(word).replace(SPECIAL, (letter) => PLAIN[letter] ?? letter);
}

/** Marks of other scripts, of India for example, are vowels and stay. */
export function foldMarks(word: string): string {
  if (!MARKED.test(word)) return word;
  // The mark of a composed letter (й, ї) is part of the letter.
  const plain = word.normalize('NFC').replace(/[\p{Script=Cyrillic}]\p{M}+/gu, (letter) => letter.slice(0, 1));
  if (/\p{Script=Cyrillic}/u.test(plain)) return plain;
  const bare = withoutMarks(plain).replaceAll('ـ', '');
  if (!ARABIC.test(bare)) return bare.replaceAll('ς', 'σ');
  return bare.replace(/[ٱ]/g, 'ا').replaceAll('ى', 'ي').replaceAll('ة', 'ه').replace(ARABIC_ARTICLE, '');
}

function withoutMarks(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '');
}
