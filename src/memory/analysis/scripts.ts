// A name in another script: how "Anna" could be written in Cyrillic and "Анна" in Latin letters. There are several ways to write
// most names, so each gives a few; those that nobody wrote cost a look into the index and nothing else.

type Table = readonly (readonly [from: string, ...to: string[]])[];

const MOST = 16;
const SHORTEST = 3;
const LATIN = /^[a-z]+$/;
const CYRILLIC = /^[а-я]+$/;

/** Longer letters first. */
const TO_CYRILLIC: Table = [
  ['shch', 'щ'],
  ['sch', 'щ', 'ш'],
  ['iya', 'ия'],
  ['sh', 'ш'],
  ['ch', 'ч'],
  ['zh', 'ж'],
  ['kh', 'х'],
  ['ts', 'ц'],
  ['ph', 'ф'],
  ['ck', 'к'],
  ['ya', 'я'],
  ['yu', 'ю'],
  ['yo', 'е'],
  ['ye', 'е'],
  ['ia', 'ия', 'ья', 'я'],
  ['iu', 'ю'],
  ['iy', 'ий'],
  ['ey', 'ей'],
  ['ei', 'ей'],
  ['ay', 'ай'],
  ['ai', 'ай'],
  ['oy', 'ой'],
  ['x', 'кс'],
  ['y', 'й', 'ы', 'и', 'ий'],
  ['e', 'е', 'э'],
  ['c', 'к', 'ц'],
  ['h', 'х', 'г'],
  ['j', 'дж', 'й'],
  ['w', 'в'],
  ['q', 'к'],
  ...[...'abvgdziklmnoprstuf'].map((letter, index) => [letter, [...'абвгдзиклмнопрстуф'][index] as string] as const),
];
const TO_LATIN: Table = [
  ['кс', 'x', 'ks'],
  ['ий', 'y', 'iy', 'i'],
  ['ия', 'ia', 'iya'],
  ['ья', 'ya', 'ia'],
  ['дж', 'j', 'dzh'],
  ['щ', 'shch', 'sch'],
  ['ш', 'sh', 'sch'],
  ['ч', 'ch'],
  ['ж', 'zh', 'j'],
  ['х', 'kh', 'h'],
  ['ц', 'ts', 'c'],
  ['ю', 'yu', 'iu', 'u'],
  ['я', 'ya', 'ia', 'a'],
  ['й', 'y', 'i'],
  ['ы', 'y'],
  ['э', 'e'],
  ['ь', ''],
  ['ъ', ''],
  ['к', 'k', 'c'],
  ['ф', 'f', 'ph'],
  ['в', 'v', 'w'],
  ...[...'абгдезилмнопрсту'].map((letter, index) => [letter, [...'abgdezilmnoprstu'][index] as string] as const),
];

/** A lower-case word of one script in the other one, at most sixteen ways, the likeliest first. */
export function inOtherScript(word: string): string[] {
  if (word.length < SHORTEST) return [];
  if (LATIN.test(word)) return written(word, TO_CYRILLIC);
  return CYRILLIC.test(word) ? written(word, TO_LATIN) : [];
}

function written(word: string, table: Table): string[] {
  let ways = [''];
  for (let at = 0; at < word.length; ) {
    const [from = '', ...to] = table.find(([letters]) => word.startsWith(letters, at)) ?? [];
    if (from === '') return [];
    // The first way of each letter comes first, so that a cut leaves out the rare ones.
    ways = to.flatMap((letters) => ways.map((way) => way + letters)).slice(0, MOST);
    at += from.length;
  }
  return [...new Set(ways)];
}
