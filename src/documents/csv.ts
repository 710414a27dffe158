import type { ByteSource } from './byte-source.ts';
import { DocumentProblem, type OpenDocument } from './document.ts';
import { createSheetText } from './sheet-text.ts';

export function openCsv(source: ByteSource): OpenDocument {
  const text = decoded(source.readAll());
  const separator = separatorOf(text);
  return {
    label: 'table',
    unit: 'sheet',
    count: 1,
    names: ['table'],
    read(_index, { cells }) {
      const sheet = createSheetText(cells);
      let row = 0;
      for (const values of rowsOf(text, separator)) {
        if (!sheet.add({ row, cells: new Map(values.map((value, column) => [column, value])) })) break;
        row += 1;
      }
      return { text: sheet.text() };
    },
  };
}

/** Quoted values may hold separators and line ends; two quotes are one. */
function* rowsOf(text: string, separator: string): Generator<string[]> {
  let row: string[] = [];
  for (let at = 0; at <= text.length; ) {
    let value: string;
    if (text[at] === '"') {
      const end = closingQuote(text, at + 1);
      value = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    } else {
      const next = nextBreak(text, at, separator);
      value = text.slice(at, next);
      at = next;
    }
    row.push(value);
    if (text[at] === separator) {
      at += 1;
      continue;
    }
    const isLast = at >= text.length;
    if (!isLast || row.length > 1 || value !== '') yield row;
    if (isLast) return;
    row = [];
    at = nextLine(text, at);
  }
}

function closingQuote(text: string, from: number): number {
  for (let at = text.indexOf('"', from); at >= 0; at = text.indexOf('"', at + 2)) if (text[at + 1] !== '"') return at;
  throw new DocumentProblem('damaged', 'a quotation mark is not closed: view "source" shows the text as it is');
}

function nextBreak(text: string, from: number, separator: string): number {
  let at = from;
  while (at < text.length && text[at] !== separator && text[at] !== '\n' && text[at] !== '\r') at += 1;
  return at;
}

/** Also past what wrongly follows a closing quotation mark. */
function nextLine(text: string, from: number): number {
  const end = text.indexOf('\n', from);
  return end < 0 ? text.length : end + 1;
}

function separatorOf(text: string): string {
  const [line = ''] = text.slice(0, 10_000).split(/\r?\n/, 1);
  const count = (mark: string): number => line.split(mark).length;
  return ['\t', ';', ','].reduce((best, mark) => (count(mark) >= count(best) ? mark : best), ',');
}

function decoded(bytes: Buffer): string {
  const isUtf16 = bytes[0] === 0xff && bytes[1] === 0xfe;
  return new TextDecoder(isUtf16 ? 'utf-16le' : 'utf-8').decode(bytes);
}
