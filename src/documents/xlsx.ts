// A workbook: each sheet as rows of values (`sheet-text.ts`). Formulas are shown by the value that was last computed, dates as dates.
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
      const { name, part } = sheets[index] as Sheet;
      const sheet = createSheetText(cells);
      readRows(zip.read(part), sheet, shared);
      return { heading: `--- sheet "${name}" ---`, text: sheet.text() };
    },
  };
}

interface Sheet {
  name: string;
  part: string;
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
      if (part?.type === 'worksheet') sheets.push({ name: attributes.name ?? '', part: part.target });
      if (element === 'workbookPr') isFrom1904 = /^(?:1|true)$/.test(attributes.date1904 ?? '');
    },
  });
  if (sheets.length === 0) throw new DocumentProblem('damaged', 'it has no sheets with cells');
  return { sheets, isFrom1904 };
}

function readRows(bytes: Buffer, sheet: SheetText, shared: Shared): void {
  let row = -1;
  let column = -1;
  let cells = new Map<number, string>();
  let kind = '';
  let style = 0;
  let value = '';
  let isValue = false;
  readXml(bytes, {
    open(name, { r, t = '', s = '0' }) {
      if (name === 'row') {
        row = r === undefined ? row + 1 : Number(r) - 1;
        column = -1;
        cells = new Map();
      } else if (name === 'c') {
        column = r === undefined ? column + 1 : columnIndex(r.replace(/\d+$/, ''), column + 1);
        [kind, style, value] = [t, Number(s), ''];
      } else if (name === 'v' || name === 't') isValue = true;
    },
    text(text) {
      if (isValue) value += text;
    },
    close(name) {
      if (name === 'v' || name === 't') isValue = false;
      else if (name === 'c') cells.set(column, shownValue(value, kind, style, shared));
      else if (name === 'row' && !sheet.add({ row, cells })) throw ENOUGH;
    },
  });
}

function shownValue(value: string, kind: string, style: number, { strings, dates, isFrom1904 }: Shared): string {
  if (kind === 's') return strings()[Number(value)] ?? '';
  if (kind === 'b') return value === '1' ? 'TRUE' : 'FALSE';
  const asDate = kind === '' || kind === 'n' ? dates().get(style) : undefined;
  if (asDate === undefined || value === '' || !Number.isFinite(Number(value))) return value;
  return dateOf(Number(value), asDate, isFrom1904);
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
      else if (name === 'si' && strings.push(text) > MOST_STRINGS)
        throw new DocumentProblem('too_large', 'it has more texts than are read of one workbook');
    },
  });
  return strings;
}

/** The numbers of the formats for dates that every workbook has. */
const BUILT_IN_DATES = new Map<number, 'date' | 'time'>([
  ...[14, 15, 16, 17].map((id) => [id, 'date'] as const),
  ...[18, 19, 20, 21, 22, 45, 46, 47].map((id) => [id, 'time'] as const),
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
