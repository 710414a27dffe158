import { type CellRange, DocumentProblem, type OpenDocument } from './document.ts';

export interface SelectedParts {
  /** From 0, in the order asked for, without repeats. */
  indexes: number[];
  cells?: CellRange;
}

/** What `pages` of a request names; throws `no_such_part` with what there is. */
export function selectParts(pages: string | undefined, document: OpenDocument): SelectedParts {
  if (pages === undefined) return { indexes: all(document.count) };
  return document.names ? selectSheet(pages.trim(), document) : { indexes: selectPages(pages, document) };
}

function selectPages(pages: string, { unit = 'page', count }: OpenDocument): number[] {
  const indexes = new Set<number>();
  for (const item of pages.split(',')) {
    const [, from, dash, to] = /^\s*(\d{1,9})\s*(?:([-–])\s*(\d{1,9})?)?\s*$/.exec(item) ?? [];
    if (from === undefined)
      throw new DocumentProblem('no_such_part', `"${pages}" names no ${unit}s: write "3", "2-5", "4-" or "1,7"`);
    const first = Number(from);
    const last = Math.min(dash ? Number(to ?? count) : first, count);
    if (first < 1 || first > count)
      throw new DocumentProblem('no_such_part', `there is no ${unit} ${first}: it has ${count}`);
    if (dash && last < first) throw new DocumentProblem('no_such_part', `"${item.trim()}" ends before it begins`);
    for (let number = first; number <= last; number += 1) indexes.add(number - 1);
  }
  return [...indexes];
}

function selectSheet(pages: string, document: OpenDocument): SelectedParts {
  const { names = [], count } = document;
  const mark = pages.lastIndexOf('!');
  const cells = parseCells(mark < 0 ? pages : pages.slice(mark + 1));
  const name = cells && mark < 0 ? '' : (mark < 0 || !cells ? pages : pages.slice(0, mark)).replace(/^'(.*)'$/, '$1');
  if (name === '') return { indexes: [0], ...(cells && { cells }) };
  const named = names.findIndex((each) => each.toLowerCase() === name.toLowerCase());
  const numbered = /^\d{1,6}$/.test(name) && Number(name) >= 1 && Number(name) <= count ? Number(name) - 1 : -1;
  const index = named >= 0 ? named : numbered;
  // As the answer to a read names the sheets that are left.
  if (index < 0 && /^\d[\d,-]*$/.test(name)) return { indexes: selectPages(name, document) };
  if (index < 0) {
    const there = names.map((each) => `"${each}"`).join(', ');
    throw new DocumentProblem('no_such_part', `there is no sheet "${name}": it has ${there}`);
  }
  return { indexes: [index], ...(cells && { cells }) };
}

/** `B2`, `A1:F40`, `A:C` (whole columns), `5:9` (whole rows). Undefined: it is none of these. */
export function parseCells(text: string): CellRange | undefined {
  const [, c1, r1, isRange, c2, r2] =
    /^\s*\$?([a-z]{0,3})\$?(\d{0,7})(?:(:)\$?([a-z]{0,3})\$?(\d{0,7}))?\s*$/i.exec(text) ?? [];
  if (c1 === undefined || (c1 === '' && !isRange) || (r1 === '' && !isRange)) return undefined;
  if (isRange && ((c1 === '') !== (c2 === '') || (r1 === '') !== (r2 === ''))) return undefined;
  const columns = [columnIndex(c1, 0), columnIndex(isRange ? (c2 ?? '') : c1, Number.MAX_SAFE_INTEGER)];
  const rows = [rowIndex(r1, 0), rowIndex(isRange ? r2 : r1, Number.MAX_SAFE_INTEGER)];
  return {
    firstRow: Math.min(...rows),
    lastRow: Math.max(...rows),
    firstColumn: Math.min(...columns),
    lastColumn: Math.max(...columns),
  };
}

/** "A" is 0, "AA" is 26. */
export function columnIndex(letters: string, absent: number): number {
  if (letters === '') return absent;
  return [...letters.toUpperCase()].reduce((sum, letter) => sum * 26 + letter.charCodeAt(0) - 64, 0) - 1;
}

export function columnName(index: number): string {
  const rest = Math.floor(index / 26);
  return (rest > 0 ? columnName(rest - 1) : '') + String.fromCharCode(65 + (index % 26));
}

function rowIndex(digits: string | undefined, absent: number): number {
  return digits === undefined || digits === '' ? absent : Math.max(0, Number(digits) - 1);
}

function all(count: number): number[] {
  return Array.from({ length: count }, (_, index) => index);
}
