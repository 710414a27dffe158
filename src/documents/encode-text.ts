// Writes a text in one of the charsets that `text-charset.ts` knows. Node only decodes them, so the table of a charset is made by decoding
// every sequence of one and two bytes once, and of GB18030 those of four. Where two sequences mean one character, the one is written that the text had before,
// else the one that other programs write.
import type { TextCharset } from './text-charset.ts';

const ASCII = 0x80;
/** Beyond the characters of every table. */
const CODE_POINTS = 0x3_0000;
/** In a table: the charset lacks the character. No sequence is these bytes. */
const LACKS = 0xffff_ffff;
/** GB18030 has all characters beyond this one, in their order. */
const ASTRAL = 0x1_0000;
const ASTRAL_POSITION = (0x90 - 0x81) * 12_600;

/** How many sequences of four bytes it has for the characters before that one, 0x81308130 to 0x8431A439. */
const FOUR_BYTES_IN_PLANE = 39_420;

/** Of these, as in the standard of the charsets, the second sequence; of all others the first. */
const SECOND: Partial<Record<TextCharset, string>> = { big5: '═╞╡╪十卅', gb18030: '€' };

interface Table {
  /** By code point: the one, two or four bytes that mean it, as one number. */
  usual: Uint32Array;
  /** By the other sequence for a character, of one or two bytes: its code point. 0: there is none. */
  others: Uint32Array;
}

const tables = new Map<TextCharset, Table>();

/** `before`: what the text is made from, in this charset. Undefined: the charset lacks a character of it. */
export function encodeText(text: string, charset: TextCharset, before?: Uint8Array): Buffer | undefined {
  if (charset === 'utf-8') return Buffer.from(text);
  if (charset === 'utf-16le' || charset === 'utf-16be') return undefined;
  const made = tables.get(charset) ?? tableOf(charset);
  tables.set(charset, made);
  const table = before && SECOND[charset] ? asWritten(before, made, charset) : made.usual;
  const isGb = charset === 'gb18030';
  // The most for each unit of the text; what is not written costs nothing.
  const bytes = Buffer.allocUnsafe((isGb ? 4 : 2) * text.length);
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    const point = text.codePointAt(at) ?? 0;
    if (point >= ASTRAL) at += 1;
    const sequence = isGb && point >= ASTRAL ? fourBytes(point - ASTRAL + ASTRAL_POSITION) : (table[point] ?? LACKS);
    if (sequence === LACKS) return undefined;
    if (sequence > 0xffff) end = bytes.writeUInt32BE(sequence, end);
    else if (sequence > 0xff) end = bytes.writeUInt16BE(sequence, end);
    else {
      bytes[end] = sequence;
      end += 1;
    }
  }
  return bytes.subarray(0, end);
}

function tableOf(charset: TextCharset): Table {
  const decoder = new TextDecoder(charset, { fatal: true });
  const table = new Uint32Array(CODE_POINTS).fill(LACKS);
  const others = new Uint32Array(0x1_0000);
  const seconds = SECOND[charset] ?? '';
  const add = (sequence: number, ...bytes: number[]): boolean => {
    try {
      const [character = '', ...more] = decoder.decode(Uint8Array.from(bytes));
      const point = character.codePointAt(0) ?? CODE_POINTS;
      const known = table[point] ?? LACKS;
      if (more.length > 0) return true;
      const isWritten = known === LACKS || seconds.includes(character);
      if (known !== LACKS) others[isWritten ? known : sequence] = point;
      if (isWritten) table[point] = sequence;
      return true;
    } catch {
      return false;
    }
  };
  for (let byte = 0; byte < ASCII; byte += 1) add(byte, byte);
  for (let first = ASCII; first <= 0xff; first += 1)
    if (!add(first, first))
      for (let second = 0x40; second <= 0xff; second += 1) add((first << 8) | second, first, second);
  if (charset === 'gb18030') addFourBytes(table);
  return { usual: table, others };
}

/** A table with the sequences that a text uses. */
function asWritten(text: Uint8Array, { usual, others }: Table, charset: TextCharset): Uint32Array {
  const table = usual.slice();
  for (let at = 0; at < text.length; at += 1) {
    const first = text[at] ?? 0;
    if (first < ASCII) continue;
    const second = text[at + 1] ?? 0;
    const sequence = first === ASCII ? first : (first << 8) | second;
    const point = others[sequence] ?? 0;
    if (point > 0) table[point] = sequence;
    if (first > ASCII) at += charset === 'gb18030' && second < 0x40 ? 3 : 1;
  }
  return table;
}

/** The other characters of the basic plane: one after the other, so all are decoded at once. */
function addFourBytes(table: Uint32Array): void {
  const bytes = Buffer.alloc(4 * FOUR_BYTES_IN_PLANE);
  for (let position = 0; position < FOUR_BYTES_IN_PLANE; position += 1)
    bytes.writeUInt32BE(fourBytes(position), 4 * position);
  for (const [position, character] of [...new TextDecoder('gb18030').decode(bytes)].entries()) {
    const point = character.codePointAt(0) ?? CODE_POINTS;
    if (table[point] === LACKS) table[point] = fourBytes(position);
  }
}

/** The sequence of four bytes at this place of their order. */
function fourBytes(position: number): number {
  const last = 0x30 + (position % 10);
  const third = 0x81 + (Math.floor(position / 10) % 126);
  const second = 0x30 + (Math.floor(position / 1_260) % 10);
  const first = 0x81 + Math.floor(position / 12_600);
  return ((first << 24) | (second << 16) | (third << 8) | last) >>> 0;
}
