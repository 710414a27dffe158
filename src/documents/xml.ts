// XML of a document, read from its beginning to its end. Entities that it declares itself are not expanded (the parser refuses
// them), and nesting is limited. Names come without their prefix.
import { SaxesParser } from 'saxes';
import { DocumentProblem } from './document.ts';

const DEEPEST = 1_000;
const PIECE = 1024 * 1024;

export type XmlAttributes = Readonly<Record<string, string>>;

export interface XmlReader {
  open?(name: string, attributes: XmlAttributes): void;
  text?(text: string): void;
  close?(name: string): void;
}

/** Thrown by a reader that has seen enough. */
export const ENOUGH = Symbol('enough');

export interface ReadXmlOptions {
  /** Reads on behind what is wrong: a part that programs have written by hand. */
  isLenient?: boolean;
}

export function readXml(bytes: Buffer, reader: XmlReader, { isLenient = false }: ReadXmlOptions = {}): void {
  const parser = new SaxesParser();
  let depth = 0;
  parser.on('error', (error) => {
    if (!isLenient) throw new DocumentProblem('damaged', `it is damaged: ${error.message}`);
  });
  parser.on('opentag', ({ name, attributes }) => {
    depth += 1;
    if (depth > DEEPEST) throw new DocumentProblem('too_large', 'it is nested too deeply to be read');
    reader.open?.(local(name), withoutPrefixes(attributes));
  });
  parser.on('closetag', ({ name }) => {
    depth -= 1;
    reader.close?.(local(name));
  });
  if (reader.text) {
    parser.on('text', (text) => reader.text?.(text));
    parser.on('cdata', (text) => reader.text?.(text));
  }
  const text = decoded(bytes);
  try {
    for (let from = 0; from < text.length; from += PIECE) parser.write(text.slice(from, from + PIECE));
    parser.close();
  } catch (error) {
    if (error !== ENOUGH) throw error;
  }
}

function local(name: string): string {
  return name.slice(name.indexOf(':') + 1);
}

/** `r:id` stays, beside `id`. */
function withoutPrefixes(attributes: Record<string, string>): XmlAttributes {
  const plain: Record<string, string> = {};
  for (const [name, value] of Object.entries(attributes)) {
    plain[name] = value;
    if (!name.startsWith('r:')) plain[local(name)] = value;
  }
  return plain;
}

function decoded(bytes: Buffer): string {
  const isUtf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
  return new TextDecoder(isUtf16 ? (bytes[0] === 0xff ? 'utf-16le' : 'utf-16be') : 'utf-8').decode(bytes);
}
