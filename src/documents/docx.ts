// A Word document as Markdown: headings, paragraphs, lists, tables, links, footnotes; pictures by their description.
import type { OpenDocument } from './document.ts';
import { officeTitle, type Relationship, relationshipsOf } from './relationships.ts';
import { inColumns, type SpanningCell, tableLines } from './table-lines.ts';
import { readXml, type XmlAttributes } from './xml.ts';
import type { Zip } from './zip.ts';

const MAIN = 'word/document.xml';

export function openWordDocument(zip: Zip): OpenDocument {
  const title = officeTitle(zip);
  return {
    label: 'Word document',
    ...(title && { title }),
    count: 1,
    read() {
      const options = { headings: headingStyles(zip), links: relationshipsOf(zip, MAIN) };
      const parts = [MAIN, ...['word/footnotes.xml', 'word/endnotes.xml'].filter((part) => zip.has(part))];
      const texts = parts.map((part) => bodyText(zip.read(part), options));
      return { text: texts.filter((text) => text !== '').join('\n\n') };
    },
  };
}

interface BodyOptions {
  /** The level of a heading by the id of its style. */
  headings: ReadonlyMap<string, number>;
  links: ReadonlyMap<string, Relationship>;
}

interface Paragraph {
  text: string;
  heading: number;
  /** Of a list, from 0; -1: it is not in one. */
  listLevel: number;
  /** Where the text of an open link began. */
  link?: { at: number; target: string };
}

interface Table {
  rows: SpanningCell[][];
  cell: string[];
  /** How many columns the open cell takes. */
  columns: number;
}

/** What holds no text of the document: deleted text, codes of fields, a second form of a drawing. */
const LEFT_OUT = new Set(['delText', 'instrText', 'Fallback', 'moveFrom']);

function bodyText(bytes: Buffer, { headings, links }: BodyOptions): string {
  const blocks: string[] = [];
  const paragraphs: Paragraph[] = [];
  const tables: Table[] = [];
  let leftOut = 0;
  let isText = false;
  let note = { id: '', at: 0, isShown: false };

  function put(block: string): void {
    const table = tables.at(-1);
    if (table) table.cell.push(block);
    else if (block !== '') blocks.push(block);
  }

  const opened: Record<string, (attributes: XmlAttributes) => void> = {
    p: () => paragraphs.push({ text: '', heading: 0, listLevel: -1 }),
    pStyle({ val = '' }) {
      const paragraph = paragraphs.at(-1);
      if (paragraph) paragraph.heading = headings.get(val) ?? 0;
    },
    ilvl({ val = '0' }) {
      const paragraph = paragraphs.at(-1);
      if (paragraph) paragraph.listLevel = Math.min(8, Number(val) || 0);
    },
    t() {
      isText = true;
    },
    tab: () => add('\t'),
    br: () => add('\n'),
    cr: () => add('\n'),
    noBreakHyphen: () => add('-'),
    docPr: ({ descr = '' }) => add(`[picture${descr ? `: ${descr}` : ''}]`),
    footnoteReference: ({ id = '' }) => add(`[^${id}]`),
    endnoteReference: ({ id = '' }) => add(`[^end-${id}]`),
    hyperlink(attributes) {
      const target = links.get(attributes['r:id'] ?? '')?.target;
      const paragraph = paragraphs.at(-1);
      if (paragraph && target !== undefined) paragraph.link = { at: paragraph.text.length, target };
    },
    footnote: ({ id = '', type }) => beginNote(id, type),
    endnote: ({ id = '', type }) => beginNote(`end-${id}`, type),
    tbl: () => tables.push({ rows: [], cell: [], columns: 1 }),
    tr: () => tables.at(-1)?.rows.push([]),
    gridSpan({ val = '1' }) {
      const table = tables.at(-1);
      if (table) table.columns = Number(val) || 1;
    },
    gridBefore({ val = '0' }) {
      if (Number(val) > 0)
        tables
          .at(-1)
          ?.rows.at(-1)
          ?.push({ text: '', columns: Number(val) });
    },
  };
  const closed: Record<string, () => void> = {
    t() {
      isText = false;
    },
    hyperlink() {
      const paragraph = paragraphs.at(-1);
      if (!paragraph?.link) return;
      const { at, target } = paragraph.link;
      const text = paragraph.text.slice(at);
      if (text !== target) paragraph.text = `${paragraph.text.slice(0, at)}[${text}](${target})`;
      delete paragraph.link;
    },
    p() {
      const paragraph = paragraphs.pop();
      if (paragraph) put(shownParagraph(paragraph));
    },
    footnote: endNote,
    endnote: endNote,
    tc() {
      const table = tables.at(-1);
      if (!table) return;
      table.rows.at(-1)?.push({ text: table.cell.join(' ').trim(), columns: table.columns });
      Object.assign(table, { cell: [], columns: 1 });
    },
    tbl() {
      const table = tables.pop();
      if (!table) return;
      // A table in a cell is part of its text.
      if (tables.length > 0) put(table.rows.map((row) => row.map(({ text }) => text).join(', ')).join('; '));
      else put(tableLines(inColumns(table.rows)).join('\n'));
    },
  };

  function beginNote(id: string, type: string | undefined): void {
    note = { id, at: blocks.length, isShown: type === undefined };
  }

  function endNote(): void {
    const made = blocks.splice(note.at).join(' ').replaceAll('\n', ' ');
    if (note.isShown && made !== '') blocks.push(`[^${note.id}]: ${made}`);
  }

  function add(text: string): void {
    const paragraph = paragraphs.at(-1);
    if (paragraph && leftOut === 0) paragraph.text += text;
  }

  readXml(bytes, {
    open(name, attributes) {
      if (LEFT_OUT.has(name)) leftOut += 1;
      if (leftOut === 0) opened[name]?.(attributes);
    },
    text: (text) => isText && add(text),
    close(name) {
      if (leftOut === 0) closed[name]?.();
      if (LEFT_OUT.has(name)) leftOut -= 1;
    },
  });
  return joined(blocks);
}

function shownParagraph({ text, heading, listLevel }: Paragraph): string {
  const plain = text.trim();
  if (plain === '') return '';
  if (heading > 0) return `${'#'.repeat(Math.min(6, heading))} ${plain}`;
  return listLevel >= 0 ? `${'  '.repeat(listLevel)}- ${plain}` : plain;
}

/** Items of a list stand together, all else is apart. */
function joined(blocks: readonly string[]): string {
  const isItem = (block: string | undefined): boolean => /^ *- /.test(block ?? '');
  return blocks
    .map((block, index) => (index === 0 ? '' : isItem(block) && isItem(blocks[index - 1]) ? '\n' : '\n\n') + block)
    .join('');
}

function headingStyles(zip: Zip): Map<string, number> {
  const levels = new Map<string, number>([['Title', 1]]);
  if (!zip.has('word/styles.xml')) return levels;
  let style = '';
  readXml(zip.read('word/styles.xml'), {
    open(name, { styleId, val = '' }) {
      if (name === 'style') style = styleId ?? '';
      const [, level] = name === 'name' ? (/^heading (\d)$/i.exec(val) ?? []) : [];
      if (level) levels.set(style, Number(level));
      if (name === 'outlineLvl' && Number(val) < 9 && !levels.has(style)) levels.set(style, Number(val) + 1);
    },
  });
  return levels;
}
