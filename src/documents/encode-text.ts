// Writes a text in one of the charsets that `text-charset.ts` knows. Node only decodes them, so the table of a charset is made by decoding
// every sequence of one and two bytes once. Where two sequences mean one character, the first one is written.
import type { TextCharset } from './text-charset.ts';

const ASCII = 0x80;
const tables = new Map<TextCharset, ReadonlyMap<string, Buffer>>();

/** Undefined: the charset lacks a character of it. */
export function encodeText(text: string, charset: TextCharset): Buffer | undefined {
  if (charset === 'utf-8') return Buffer.from(text);
  if (charset === 'utf-16le' || charset === 'utf-16be') return undefined;
  const table = tables.get(charset) ?? tableOf(charset);
  tables.set(charset, table);
  const parts: Buffer[] = [];
  for (const character of text) {
    const bytes = table.get(character);
    if (!bytes) return undefined;
    parts.push(bytes);
  }
  return Buffer.concat(parts);
}

function tableOf(charset: TextCharset): Map<string, Buffer> {
  const decoder = new TextDecoder(charset, { fatal: true });
  const table = new Map<string, Buffer>();
  const add = (...bytes: number[]): boolean => {
    try {
      const character = decoder.decode(Uint8Array.from(bytes));
      if ([...character].length === 1 && !table.has(character)) table.set(character, Buffer.from(bytes));
      return true;
    } catch {
      return false;
    }
  };
  for (let byte = 0; byte < ASCII; byte += 1) add(byte);
  for (let first = ASCII; first <= 0xff; first += 1)
    if (!add(first)) for (let second = 0x40; second <= 0xff; second += 1) add(first, second);
  return table;
}
