// The charset of a text that does not name one: UTF-8 where the bytes allow it, else the one that makes words of the bytes among those
// that programs in Chinese, Russian and Western Europe have written. A text that none of them turns into words stays UTF-8.

/** More of a text tells nothing new. */
const SAMPLE_BYTES = 64 * 1024;
/** Of the characters in two bytes: less is not Chinese. */
const COMMON_SHARE = 0.8;
/** Of the letters: less is not Russian. */
const WORD_SHARE = 0.75;
const CYRILLIC = ['windows-1251', 'koi8-r', 'ibm866'] as const;

export type TextCharset =
  | 'utf-8'
  | 'utf-16le'
  | 'utf-16be'
  | 'gb18030'
  | 'big5'
  | 'windows-1252'
  | (typeof CYRILLIC)[number];

export function decodeText(bytes: Uint8Array): string {
  return new TextDecoder(charsetOf(bytes)).decode(bytes);
}

export function charsetOf(bytes: Uint8Array): TextCharset {
  if (bytes[0] === 0xff && bytes[1] === 0xfe) return 'utf-16le';
  if (bytes[0] === 0xfe && bytes[1] === 0xff) return 'utf-16be';
  const sample = bytes.subarray(0, SAMPLE_BYTES);
  if (isUtf8(sample)) return 'utf-8';
  const high = sample.filter((byte) => byte >= 0x80);
  const areCapitals = high.every((byte) => byte >= 0xc0 && byte <= 0xdf);
  const chinese = areCapitals ? undefined : chineseCharset(sample);
  if (chinese) return chinese;
  const [cyrillic] = CYRILLIC.map((name) => ({ name, share: wordShare(sample, name) })).sort(
    (a, b) => b.share - a.share,
  );
  if (cyrillic && cyrillic.share >= WORD_SHARE) return cyrillic.name;
  return areApart(sample) ? 'windows-1252' : 'utf-8';
}

/** Also a text with a few damaged characters, and one that is cut inside of one. */
function isUtf8(bytes: Uint8Array): boolean {
  let whole = 0;
  let broken = 0;
  for (let at = 0; at < bytes.length; ) {
    const first = bytes[at] ?? 0;
    const length = first < 0x80 ? 1 : first < 0xc2 ? 0 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : first < 0xf5 ? 4 : 0;
    let end = at + 1;
    while (end < at + length && ((bytes[end] ?? 0) & 0xc0) === 0x80) end += 1;
    if (length > 1 && end === at + length) whole += 1;
    else if (length !== 1 && end < bytes.length) broken += 1;
    at = end;
  }
  return broken === 0 || whole > broken * 4;
}

/** By the characters that most texts consist of: their first bytes are in one range, in each of both charsets. */
function chineseCharset(bytes: Uint8Array): 'gb18030' | 'big5' | undefined {
  const shares = [
    {
      name: 'gb18030' as const,
      share: pairShare(bytes, (a, b) => ((a >= 0xb0 && a <= 0xd7) || a <= 0xa3) && b > 0xa0),
    },
    { name: 'big5' as const, share: pairShare(bytes, (a, b) => a >= 0xa1 && a <= 0xc6 && (b < 0x7f || b > 0xa0)) },
  ].sort((a, b) => b.share - a.share);
  const [best] = shares.filter(({ name, share }) => share >= COMMON_SHARE && isValid(bytes, name));
  return best?.name;
}

function pairShare(bytes: Uint8Array, isCommon: (first: number, second: number) => boolean): number {
  let pairs = 0;
  let common = 0;
  for (let at = 0; at + 1 < bytes.length; at += 1) {
    const [first = 0, second = 0] = [bytes[at], bytes[at + 1]];
    if (first < 0x81) continue;
    pairs += 1;
    if (isCommon(first, second)) common += 1;
    at += 1;
  }
  return pairs === 0 ? 0 : common / pairs;
}

function isValid(bytes: Uint8Array, charset: string): boolean {
  try {
    // The sample may end inside of a character.
    new TextDecoder(charset, { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}

/** Of the letters that are not ASCII: how many are in words of Russian, which hold no Latin letter, and a capital only first or among capitals. */
function wordShare(bytes: Uint8Array, charset: string): number {
  const text = new TextDecoder(charset).decode(bytes);
  let right = 0;
  for (const [word] of text.matchAll(/[A-Za-zА-ЯЁа-яё]+/g))
    if (/^(?:[А-ЯЁ]?[а-яё]+|[А-ЯЁ]+)$/.test(word)) right += word.length;
  const all = text.match(/[^\p{ASCII}№«»“”„—–…\u00a0]/gu)?.length ?? 0;
  return all === 0 ? 0 : right / all;
}

/** Letters with marks are single in the words of Western Europe. */
function areApart(bytes: Uint8Array): boolean {
  let high = 0;
  let together = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    if ((bytes[at] ?? 0) < 0x80) continue;
    high += 1;
    if ((bytes[at + 1] ?? 0) >= 0x80) together += 1;
  }
  return together * 5 <= high;
}
