// Writes a text in one of the charsets that `text-charset.ts` knows. Node only decodes them, so the table of a charset is made by decoding
// every sequence of one and two bytes once. Where two sequences mean one character, the first one is written.
import type { TextCharset } from './text-charset.ts';

const ASCII = 0x80;
/** Beyond the characters of every table. */
const CODE_POINTS = 0x3_0000;
/** In a table: the charset lacks the character. No sequence is these bytes. */
const LACKS = 0xffff;

/** By code point: the one byte, or the two bytes, that mean it. */
type Table = Uint16Array;

const tables = new Map<TextCharset, Table>();

/** Undefined: the charset lacks a character of it. */
export function encodeText(text: string, charset: TextCharset): Buffer | undefined {
  if (charset === 'utf-8') return Buffer.from(text);
  if (charset === 'utf-16le' || charset === 'utf-16be') return undefined;
  const table = tables.get(charset) ?? tableOf(charset);
  tables.set(charset, table);
  // No character has more bytes than two for each of its units.
  const bytes = Buffer.allocUnsafe(2 * text.length);
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    const point = text.codePointAt(at) ?? 0;
    if (point > 0xffff) at += 1;
    const sequence = table[point] ?? LACKS;
    if (sequence === LACKS) return undefined;
    if (sequence > 0xff) {
      bytes[end] = sequence >> 8;
      end += 1;
    }
    bytes[end] = sequence & 0xff;
    end += 1;
  }
  return bytes.subarray(0, end);
}

function tableOf(charset: TextCharset): Table {
  const decoder = new TextDecoder(charset, { fatal: true });
  const table = new Uint16Array(CODE_POINTS).fill(LACKS);
  const add = (sequence: number, ...bytes: number[]): boolean => {
    try {
      const [character = '', ...more] = decoder.decode(Uint8Array.from(bytes));
      const point = character.codePointAt(0) ?? CODE_POINTS;
      if (more.length === 0 && table[point] === LACKS) table[point] = sequence;
      return true;
    } catch {
      return false;
    }
  };
  for (let byte = 0; byte < ASCII; byte += 1) add(byte, byte);
  for (let first = ASCII; first <= 0xff; first += 1)
    if (!add(first, first))
      for (let second = 0x40; second <= 0xff; second += 1) add((first << 8) | second, first, second);
  return table;
}
