// A table of values with separators, as programs write it: the separator is found in its first line that has one, quoted values may
// hold separators and line ends, and the charset is found by its bytes.
import type { ByteSource } from './byte-source.ts';
import { DocumentProblem, type OpenDocument } from './document.ts';
import { createSheetText } from './sheet-text.ts';
import { decodeText } from './text-charset.ts';

const SAMPLE_CHARACTERS = 20_000;
/** Before others where a line has as many of them: a comma is also part of numbers. */
const SEPARATORS = ['\t', ';', ',', '|'];

export function openCsv(source: ByteSource): OpenDocument {
  const { text, separator } = withSeparator(decodeText(source.readAll()));
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

/** Two quotes in a quoted value are one. What wrongly follows a quoted value belongs to it. */
function* rowsOf(text: string, separator: string): Generator<string[]> {
  let row: string[] = [];
  for (let at = 0; at <= text.length; ) {
    let value = '';
    if (text[at] === '"') {
      const end = closingQuote(text, at + 1);
      value = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    }
    const next = nextBreak(text, at, separator);
    row.push(value + text.slice(at, next));
    at = next;
    if (text[at] === separator) {
      at += 1;
      continue;
    }
    const isLast = at >= text.length;
    if (!isLast || row.length > 1 || row[0] !== '') yield row;
    if (isLast) return;
    row = [];
    at += text.startsWith('\r\n', at) ? 2 : 1;
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

/** Excel writes a first line that names the separator, and shows it to nobody. */
function withSeparator(text: string): { text: string; separator: string } {
  const [line, named] = /^sep=(.)\r?\n/.exec(text) ?? [];
  if (line !== undefined && named !== undefined) return { text: text.slice(line.length), separator: named };
  const unquoted = text.slice(0, SAMPLE_CHARACTERS).replace(/"[^"]*"/g, '');
  const [first = ''] = /[^\r\n]*[\t;,|][^\r\n]*/.exec(unquoted) ?? [];
  const count = (mark: string): number => first.split(mark).length;
  const separator = SEPARATORS.reduce((best, mark) => (count(mark) > count(best) ? mark : best));
  return { text, separator };
}
