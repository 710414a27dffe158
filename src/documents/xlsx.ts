// A workbook: each sheet as rows of values (`sheet-text.ts`). Formulas are shown by the value that was last computed, those
// that no program has computed yet as they are, dates as dates.
import { DocumentProblem, type OpenDocument } from './document.ts';
import { columnIndex } from './page-range.ts';
import { officeTitle, relationshipsOf } from './relationships.ts';
import { createSheetText, type SheetText } from './sheet-text.ts';
import { ENOUGH, readXml } from './xml.ts';
import type { Zip } from './zip.ts';

const WORKBOOK = 'xl/workbook.xml';

export function openWorkbook(zip: Zip): OpenDocument {
  const { sheets, isFrom1904 } = readWorkbook(zip);
  const title = officeTitle(zip);
  const shared = { strings: lazily(() => sharedStrings(zip)), dates: lazily(() => dateStyles(zip)), isFrom1904 };
  return {
    label: 'workbook',
    ...(title && { title }),
    unit: 'sheet',
    count: sheets.length,
    names: sheets.map(({ name }) => name),
    read(index, { cells }) {
      const { name, part, isHidden } = sheets[index] as Sheet;
      const sheet = createSheetText(cells);
      const merged = readRows(zip.read(part), sheet, shared);
      const note =
        cells || merged.length === 0 ? '' : `\n(merged cells, whose value is in the first: ${someOf(merged)})`;
      return { heading: `--- sheet "${name}"${isHidden ? ' (hidden)' : ''} ---`, text: sheet.text() + note };
    },
  };
}

const MOST_MERGED = 50;

function someOf(merged: readonly string[]): string {
  return merged.slice(0, MOST_MERGED).join(', ') + (merged.length > MOST_MERGED ? ', …' : '');
}

interface Sheet {
  name: string;
  part: string;
  isHidden: boolean;
}

interface Shared {
  strings(): string[];
  /** Styles whose numbers are dates, and whether with a time. */
  dates(): Map<number, 'date' | 'time'>;
  isFrom1904: boolean;
}

function readWorkbook(zip: Zip): { sheets: Sheet[]; isFrom1904: boolean } {
  const parts = relationshipsOf(zip, WORKBOOK);
  const sheets: Sheet[] = [];
  let isFrom1904 = false;
  readXml(zip.read(WORKBOOK), {
    open(element, attributes) {
      const part = element === 'sheet' ? parts.get(attributes['r:id'] ?? '') : undefined;
      // A sheet that is a chart has no cells.
      if (part?.type === 'worksheet')
        sheets.push({
          name: attributes.name ?? '',
          part: part.target,
          isHidden: /hidden/i.test(attributes.state ?? ''),
        });
      if (element === 'workbookPr') isFrom1904 = /^(?:1|true)$/.test(attributes.date1904 ?? '');
    },
  });
  if (sheets.length === 0) throw new DocumentProblem('damaged', 'it has no sheets with cells');
  return { sheets, isFrom1904 };
}

/** Returns the ranges of merged cells. */
function readRows(bytes: Buffer, sheet: SheetText, shared: Shared): string[] {
  const merged: string[] = [];
  let row = -1;
  let column = -1;
  let cells = new Map<number, string>();
  let kind = '';
  let style = 0;
  let value: string | undefined;
  let formula: string | undefined;
  let isValue = false;
  let isFormula = false;
  readXml(bytes, {
    open(name, { r, t = '', s = '0', ref }) {
      if (name === 'row') {
        row = r === undefined ? row + 1 : Number(r) - 1;
        column = -1;
        cells = new Map();
      } else if (name === 'c') {
        column = r === undefined ? column + 1 : columnIndex(r.replace(/\d+$/, ''), column + 1);
        [kind, style, value, formula] = [t, Number(s), undefined, undefined];
      } else if (name === 'v' || name === 't') [isValue, value] = [true, value ?? ''];
      else if (name === 'f') [isFormula, formula] = [true, ''];
      else if (name === 'mergeCell' && ref !== undefined) merged.push(ref);
    },
    text(text) {
      if (isValue) value += text;
      else if (isFormula) formula += text;
    },
    close(name) {
      if (name === 'v' || name === 't') isValue = false;
      else if (name === 'f') isFormula = false;
      else if (name === 'c' && value === undefined && formula !== undefined) cells.set(column, `=${formula || '…'}`);
      else if (name === 'c') cells.set(column, shownValue(value ?? '', kind, style, shared));
      else if (name === 'row' && !sheet.add({ row, cells })) throw ENOUGH;
    },
  });
  return merged;
}

function shownValue(value: string, kind: string, style: number, { strings, dates, isFrom1904 }: Shared): string {
  if (kind === 's') return strings()[Number(value)] ?? '';
  if (kind === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  const isNumber = (kind === '' || kind === 'n') && value !== '' && Number.isFinite(Number(value));
  if (!isNumber) return plainText(value);
  const asDate = dates().get(style);
  return asDate === undefined ? rounded(value) : dateOf(Number(value), asDate, isFrom1904);
}

/** Spreadsheets show fifteen digits: what follows comes of how numbers are stored. */
function rounded(value: string): string {
  return value.length > 15 ? String(Number(Number(value).toPrecision(15))) : value;
}

/** Characters that XML cannot hold are written as their number. */
function plainText(text: string): string {
  return text.replace(/_x([0-9a-f]{4})_/gi, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

/** Days since the end of 1899, or since 1904. The first of these calendars has a 29 February 1900 that never was. */
function dateOf(serial: number, kind: 'date' | 'time', isFrom1904: boolean): string {
  const days = isFrom1904 ? serial + 1_462 : serial < 61 ? serial + 1 : serial;
  const time = new Date(Math.round((days - 25_569) * 86_400) * 1_000);
  if (Number.isNaN(time.getTime())) return String(serial);
  const text = time.toISOString();
  if (serial < 1 && kind === 'time') return text.slice(11, 19);
  return kind === 'date' || serial === Math.floor(serial) ? text.slice(0, 10) : text.slice(0, 19).replace('T', ' ');
}

const MOST_STRINGS = 2_000_000;

function sharedStrings(zip: Zip): string[] {
  const strings: string[] = [];
  const part = 'xl/sharedStrings.xml';
  if (!zip.has(part)) return strings;
  let text = '';
  let isText = false;
  let phonetic = 0;
  readXml(zip.read(part), {
    open(name) {
      if (name === 'si') text = '';
      else if (name === 'rPh') phonetic += 1;
      else if (name === 't') isText = phonetic === 0;
    },
    text(piece) {
      if (isText) text += piece;
    },
    close(name) {
      if (name === 't') isText = false;
      else if (name === 'rPh') phonetic -= 1;
      else if (name === 'si' && strings.push(plainText(text)) > MOST_STRINGS)
        throw new DocumentProblem('too_large', 'it has more texts than are read of one workbook');
    },
  });
  return strings;
}

/** The numbers of the formats for dates that every workbook has. */
const BUILT_IN_DATES = new Map<number, 'date' | 'time'>([
  ...[14, 15, 16, 17].map((id) => [id, 'date'] as const),
  ...[18, 19, 20, 21, 22, 45, 46, 47].map((id) => [id, 'time'] as const),
  // Of workbooks in Chinese, Japanese and Korean.
  ...[27, 28, 29, 30, 31, 36, 50, 51, 52, 53, 54, 57, 58].map((id) => [id, 'date'] as const),
  ...[32, 33, 34, 35, 55, 56].map((id) => [id, 'time'] as const),
]);

function dateStyles(zip: Zip): Map<number, 'date' | 'time'> {
  const formats = new Map(BUILT_IN_DATES);
  const styles = new Map<number, 'date' | 'time'>();
  const part = 'xl/styles.xml';
  if (!zip.has(part)) return styles;
  let isCellFormat = false;
  let style = 0;
  readXml(zip.read(part), {
    open(name, { numFmtId = '', formatCode = '' }) {
      if (name === 'cellXfs') isCellFormat = true;
      const kind = name === 'numFmt' ? dateFormat(formatCode) : undefined;
      if (kind) formats.set(Number(numFmtId), kind);
      if (name !== 'xf' || !isCellFormat) return;
      const found = formats.get(Number(numFmtId));
      if (found) styles.set(style, found);
      style += 1;
    },
    close(name) {
      if (name === 'cellXfs') isCellFormat = false;
    },
  });
  return styles;
}

function dateFormat(code: string): 'date' | 'time' | undefined {
  const letters = code.replace(/"[^"]*"|\\.|\[(?!h|m|s)[^\]]*\]/gi, '').toLowerCase();
  if (/[hs]/.test(letters)) return 'time';
  return /[dy]/.test(letters) || /mmm/.test(letters) ? 'date' : undefined;
}

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
