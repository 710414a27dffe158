// Markdown as Telegram shows it: a text, and entities that say by offset (in UTF-16 units, as strings here count) which
// part is bold, code or a link. Nothing is written in a markup that could be broken out of.
//
// Blocks are set apart by a blank line. Headings are bold, tables and fences `pre`, quotes `blockquote`. Telegram allows
// styles around links and quotes but not around code, so styles are cut where code stands, at the end.

import type { MessageEntity } from 'grammy/types';
import { lexer, type Token, type Tokens } from 'marked';
import { tableText } from './table-text.ts';

export interface Rendered {
  text: string;
  entities: MessageEntity[];
}

type Style = 'bold' | 'italic' | 'strikethrough' | 'blockquote';
type Mark = { type: Style | 'code' } | { type: 'pre'; language?: string } | { type: 'text_link'; url: string };

interface Writer {
  text: string;
  entities: MessageEntity[];
  /** What begins each new line. */
  indent: string;
  active: Set<Mark['type']>;
}

const LINKED = /^(https?|tg):/i;

export function renderMarkdown(markdown: string): Rendered {
  const text = cleaned(markdown);
  const writer: Writer = { text: '', entities: [], indent: '', active: new Set() };
  try {
    writeBlocks(writer, lexer(text), '\n\n');
  } catch {
    // Nested so deeply that it ends in a stack overflow.
    return trimmed({ text, entities: [] });
  }
  return trimmed({ text: writer.text, entities: stylesAroundCode(writer.entities) });
}

/** Without what Telegram removes itself, which would move every offset. */
function cleaned(markdown: string): string {
  return markdown
    .toWellFormed()
    .replace(/\r\n?/g, '\n')
    .replace(/[^\P{Cc}\n\t]/gu, '');
}

function writeBlocks(writer: Writer, tokens: readonly Token[], separator: string): void {
  let isFirst = true;
  for (const token of tokens) {
    if (token.type === 'space' || token.type === 'def') continue;
    const before = writer.text;
    if (!isFirst)
      write(writer, token.type === 'list' && separator === '\n\n' ? separatorBeforeList(tokens, token) : separator);
    const start = writer.text.length;
    writeBlock(writer, token);
    if (writer.text.length === start) writer.text = before;
    else isFirst = false;
  }
}

/** A list right under its sentence stays there. */
function separatorBeforeList(tokens: readonly Token[], list: Token): string {
  return tokens[tokens.indexOf(list) - 1]?.type === 'paragraph' ? '\n' : '\n\n';
}

function writeBlock(writer: Writer, token: Token): void {
  const children = childrenOf(token);
  switch (token.type) {
    case 'heading':
      within(writer, { type: 'bold' }, () => writeInline(writer, children));
      break;
    case 'paragraph':
      writeInline(writer, children);
      break;
    case 'list':
      writeList(writer, token as Tokens.List);
      break;
    case 'blockquote':
      writeQuote(writer, children);
      break;
    case 'code':
      writePre(writer, token.text, token.lang);
      break;
    case 'table':
      writePre(writer, tableText(token as Tokens.Table, plainText));
      break;
    case 'hr':
      write(writer, '———');
      break;
    default:
      writeInlineToken(writer, token);
  }
}

/** Telegram knows no quote within a quote. */
function writeQuote(writer: Writer, children: readonly Token[]): void {
  const inner = (): void => writeBlocks(writer, children, '\n');
  if (!writer.active.has('blockquote')) within(writer, { type: 'blockquote' }, inner);
  else {
    write(writer, '> ');
    indented(writer, '> ', inner);
  }
}

function writeList(writer: Writer, list: Tokens.List): void {
  let number = typeof list.start === 'number' ? list.start : 1;
  for (const [index, item] of list.items.entries()) {
    if (index > 0) write(writer, '\n');
    const box = item.checked ? '☑ ' : '☐ ';
    const mark = item.task ? box : list.ordered ? `${number}. ` : '• ';
    number += 1;
    write(writer, mark);
    indented(writer, '  ', () => writeBlocks(writer, item.tokens, '\n'));
  }
}

function writePre(writer: Writer, text: string, info?: string): void {
  const language = info?.trim().split(/\s/)[0];
  const { indent } = writer;
  // What is copied from it must be the code alone.
  writer.indent = '';
  within(writer, { type: 'pre', ...(language ? { language } : {}) }, () => write(writer, text));
  writer.indent = indent;
}

function writeInline(writer: Writer, tokens: readonly Token[]): void {
  for (const token of tokens) writeInlineToken(writer, token);
}

function writeInlineToken(writer: Writer, token: Token): void {
  const children = childrenOf(token);
  const inner = (): void => writeInline(writer, children);
  switch (token.type) {
    case 'strong':
      within(writer, { type: 'bold' }, inner);
      break;
    case 'em':
      within(writer, { type: 'italic' }, inner);
      break;
    case 'del':
      within(writer, { type: 'strikethrough' }, inner);
      break;
    case 'codespan':
      if (writer.active.has('text_link')) write(writer, token.text);
      else within(writer, { type: 'code' }, () => write(writer, token.text));
      break;
    case 'link':
      writeLink(writer, token.href, inner);
      break;
    case 'image':
      writeLink(writer, token.href, () => write(writer, withoutReferences(token.text) || token.href));
      break;
    case 'br':
      write(writer, '\n');
      break;
    case 'checkbox':
      // Written as the mark of its item.
      break;
    case 'html':
      write(writer, htmlText(token.text));
      break;
    case 'text':
      if (children.length > 0) inner();
      else write(writer, withoutReferences(token.text));
      break;
    case 'escape':
      write(writer, token.text);
      break;
    default:
      write(writer, token.raw);
  }
}

function childrenOf(token: Token): readonly Token[] {
  return 'tokens' in token && token.tokens ? token.tokens : [];
}

/** Tags are shown as they are: they may be what the text is about. */
function htmlText(html: string): string {
  return html
    .trimEnd()
    .replace(/<br\s*\/?>/gi, '\n')
    .replace(/<!--.*?-->/gs, '');
}

/** An address that Telegram would not open is written out behind its words. */
function writeLink(writer: Writer, href: string, inner: () => void): void {
  if (LINKED.test(href) && URL.canParse(href)) {
    within(writer, { type: 'text_link', url: href }, inner);
    return;
  }
  const start = writer.text.length;
  inner();
  const label = writer.text.slice(start);
  if (href !== '' && href !== label && href !== `mailto:${label}`) write(writer, ` (${href})`);
}

function plainText(tokens: readonly Token[]): string {
  const writer: Writer = { text: '', entities: [], indent: '', active: new Set() };
  writeInline(writer, tokens);
  const links = writer.entities.filter((entity) => entity.type === 'text_link').reverse();
  let { text } = writer;
  for (const { offset, length, url } of links) {
    const end = offset + length;
    if (text.slice(offset, end) !== url) text = `${text.slice(0, end)} (${url})${text.slice(end)}`;
  }
  return text.replace(/\s*\n\s*/g, ' ');
}

function write(writer: Writer, text: string): void {
  writer.text += writer.indent === '' ? text : text.replaceAll('\n', `\n${writer.indent}`);
}

function indented(writer: Writer, indent: string, run: () => void): void {
  const before = writer.indent;
  writer.indent += indent;
  run();
  writer.indent = before;
}

function within(writer: Writer, mark: Mark, run: () => void): void {
  const isNested = writer.active.has(mark.type);
  const offset = writer.text.length;
  writer.active.add(mark.type);
  run();
  if (isNested) return;
  writer.active.delete(mark.type);
  const length = writer.text.length - offset;
  if (length > 0) writer.entities.push({ ...mark, offset, length });
}

function stylesAroundCode(entities: readonly MessageEntity[]): MessageEntity[] {
  const code = entities.filter(({ type }) => type === 'code' || type === 'pre').toSorted((a, b) => a.offset - b.offset);
  const cut = entities.flatMap((entity) => {
    const isStyle = entity.type === 'bold' || entity.type === 'italic' || entity.type === 'strikethrough';
    return isStyle ? withGaps(entity, code) : [entity];
  });
  return cut.toSorted((a, b) => a.offset - b.offset || b.length - a.length);
}

function withGaps(entity: MessageEntity, gaps: readonly MessageEntity[]): MessageEntity[] {
  const pieces: MessageEntity[] = [];
  const end = entity.offset + entity.length;
  let from = entity.offset;
  for (let index = firstFrom(gaps, from); index < gaps.length; index += 1) {
    const gap = gaps[index];
    if (!gap || gap.offset >= end) break;
    if (gap.offset > from) pieces.push({ ...entity, offset: from, length: gap.offset - from });
    from = gap.offset + gap.length;
  }
  if (from < end) pieces.push({ ...entity, offset: from, length: end - from });
  return pieces;
}

/** The first that begins there or later. Code never begins before a style it is in. */
function firstFrom(sorted: readonly MessageEntity[], offset: number): number {
  let least = 0;
  let most = sorted.length;
  while (least < most) {
    const middle = (least + most) >> 1;
    if ((sorted[middle]?.offset ?? 0) < offset) least = middle + 1;
    else most = middle;
  }
  return least;
}

/** Telegram takes white space off both ends, but not off the start of an entity. */
function trimmed({ text, entities }: Rendered): Rendered {
  const end = text.trimEnd().length;
  const blank = text.length - text.trimStart().length;
  const start = Math.min(blank, end, ...entities.map(({ offset }) => offset));
  const kept = entities.flatMap((entity) => {
    const length = Math.min(entity.offset + entity.length, end) - entity.offset;
    return length > 0 ? [{ ...entity, offset: entity.offset - start, length }] : [];
  });
  return { text: text.slice(start, end), entities: kept };
}

const REFERENCES: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: '\u00a0',
  copy: '©',
  reg: '®',
  trade: '™',
  hellip: '…',
  mdash: '—',
  ndash: '–',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  times: '×',
  deg: '°',
  rarr: '→',
  larr: '←',
};

function withoutReferences(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z]+));/gi, (whole, decimal, hex, name) => {
    if (name !== undefined) return REFERENCES[name.toLowerCase()] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    const isShown = code >= 0x20 && code <= 0x10ffff && (code < 0xd800 || code > 0xdfff);
    return isShown ? String.fromCodePoint(code) : whole;
  });
}
