// One text as the parts that each fit into a card. A text is read as blocks (fenced code, tables, paragraphs); blocks are packed
// greedily. A block that does not fit alone is cut between lines, a line between words, a word between characters. Code that
// is cut is closed and opened again, a table that is cut repeats its head. The cost of a text is the bytes it can take in a
// request, at most; it is additive, so splitting takes time linear in the text.
import { closes, type Fence, openingFence } from './code-ranges.ts';

export interface CardLimits {
  /** Bytes in the request's JSON. */
  bytes: number;
  characters: number;
  /** The platform refuses a card with more; some versions already with four. */
  tables: number;
}

export const CARD_LIMITS: CardLimits = { bytes: 24_000, characters: 9_000, tables: 3 };

interface Block {
  kind: 'code' | 'table' | 'text';
  lines: string[];
  fence?: Fence;
  /** How many lines are empty before it. */
  gap: number;
}

interface Size {
  bytes: number;
  characters: number;
}

const NEW_LINE: Size = { bytes: 3, characters: 1 };

export function splitMarkdown(markdown: string, limits: CardLimits = CARD_LIMITS): string[] {
  const parts: string[] = [];
  let current = '';
  let size: Size = { bytes: 0, characters: 0 };
  let tables = 0;

  for (const { text, kind, gap } of piecesOf(markdown, limits)) {
    const separator = '\n'.repeat(gap + 1);
    const added = sizeOf(text);
    const together = plus(plus(size, added), { bytes: NEW_LINE.bytes * (gap + 1), characters: gap + 1 });
    const isTable = kind === 'table' ? 1 : 0;
    if (current !== '' && fits(together, limits) && tables + isTable <= limits.tables) {
      current += separator + text;
      size = together;
      tables += isTable;
      continue;
    }
    if (current !== '') parts.push(current);
    current = text;
    size = added;
    tables = isTable;
  }
  if (current !== '') parts.push(current);
  return parts;
}

/** The bytes a text takes at most: as JSON within JSON, with `<` as an entity. */
export function costOf(text: string): number {
  return sizeOf(text).bytes;
}

function* piecesOf(
  markdown: string,
  limits: CardLimits,
): Generator<{ text: string; kind: Block['kind']; gap: number }> {
  for (const block of blocksOf(markdown)) {
    const whole = block.lines.join('\n');
    const pieces = fits(sizeOf(whole), limits) ? [whole] : cutBlock(block, limits);
    for (const [index, text] of pieces.entries()) {
      // What is cut may be packed together again only where a paragraph continues.
      yield { text, kind: block.kind, gap: index === 0 ? block.gap : 0 };
    }
  }
}

function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let gap = 0;
  let open: Block | undefined;
  const lines = markdown.replace(/\r\n?/g, '\n').split('\n');
  for (const [index, line] of lines.entries()) {
    if (open?.kind === 'code') {
      open.lines.push(line);
      if (closes(line, open.fence as Fence)) open = undefined;
      continue;
    }
    const fence = openingFence(line);
    if (line.trim() === '') {
      gap += 1;
      open = undefined;
    } else if (fence) {
      open = begin('code', line, fence);
    } else if (open?.kind === 'table' ? line.includes('|') : startsTable(line, lines[index + 1])) {
      if (open?.kind === 'table') open.lines.push(line);
      else open = begin('table', line);
    } else if (open?.kind === 'text') {
      open.lines.push(line);
    } else {
      open = begin('text', line);
    }
  }
  return blocks;

  function begin(kind: Block['kind'], line: string, fence?: Fence): Block {
    const block: Block = { kind, lines: [line], fence, gap };
    gap = 0;
    blocks.push(block);
    return block;
  }
}

function startsTable(line: string, next = ''): boolean {
  return line.includes('|') && next.includes('-') && /^\|?:?-+:?(\|:?-+:?)*\|?$/.test(next.replace(/[\s>]+/g, ''));
}

function cutBlock({ kind, lines, fence }: Block, limits: CardLimits): string[] {
  if (kind === 'code' && fence) {
    const [opening = '', ...rest] = lines;
    const isClosed = rest.length > 0 && closes(rest.at(-1) ?? '', fence);
    const inner = isClosed ? rest.slice(0, -1) : rest;
    // A list marker before the fence would begin another item.
    const indent = fence.indent.replace(/[^\s>]/g, ' ');
    const reopening = indent + opening.slice(fence.indent.length);
    const closing = indent + fence.marker;
    const frame = plus(sizeOf(`${opening}\n`), sizeOf(`\n${closing}`));
    if (halfOf(limits, frame)) {
      const bodies = packLines(inner, minus(limits, frame));
      return bodies.map((body, index) => `${index === 0 ? opening : reopening}\n${body}\n${closing}`);
    }
  }
  if (kind === 'table' && lines.length > 2) {
    const head = `${lines[0]}\n${lines[1]}\n`;
    const headSize = sizeOf(head);
    const rows = lines.slice(2);
    const room = minus(limits, headSize);
    if (halfOf(limits, headSize) && rows.every((row) => fits(sizeOf(row), room)))
      return packLines(rows, room).map((body) => head + body);
  }
  return packLines(lines, limits);
}

/** A frame that takes more than half of a part is not worth repeating. */
function halfOf(limits: Size, { bytes, characters }: Size): boolean {
  return bytes * 2 < limits.bytes && characters * 2 < limits.characters;
}

function packLines(lines: readonly string[], limits: Size): string[] {
  const packed: string[] = [];
  let current: string[] = [];
  let size: Size = { bytes: 0, characters: 0 };
  const flush = () => {
    if (current.length > 0) packed.push(current.join('\n'));
    current = [];
    size = { bytes: 0, characters: 0 };
  };
  for (const line of lines) {
    const added = plus(sizeOf(line), NEW_LINE);
    if (!fits(plus(size, added), limits)) flush();
    if (fits(added, limits)) {
      current.push(line);
      size = plus(size, added);
      continue;
    }
    packed.push(...cutLine(line, limits));
  }
  flush();
  return packed;
}

function cutLine(line: string, limits: Size): string[] {
  const cuts: string[] = [];
  let from = 0;
  let lastSpace = -1;
  let at = 0;
  let size: Size = { bytes: 0, characters: 0 };
  while (at < line.length) {
    const character = String.fromCodePoint(line.codePointAt(at) as number);
    const next = plus(size, sizeOf(character));
    if (at > from && !fits(next, limits)) {
      const isLate = lastSpace > from + (at - from) / 2;
      const to = isLate ? lastSpace + 1 : at;
      cuts.push(line.slice(from, to));
      size = sizeOf(line.slice(to, at));
      from = to;
      lastSpace = -1;
      continue;
    }
    if (/\s/.test(character)) lastSpace = at;
    size = next;
    at += character.length;
  }
  if (from < line.length) cuts.push(line.slice(from));
  return cuts.filter((cut) => cut.trim() !== '');
}

function sizeOf(text: string): Size {
  let bytes = 0;
  for (let index = 0; index < text.length; index += 1) bytes += unitCost(text.charCodeAt(index));
  return { bytes, characters: text.length };
}

/** Of one UTF-16 unit; half a surrogate pair may become an escape of its own. */
function unitCost(unit: number): number {
  if (unit === 0x0a) return NEW_LINE.bytes;
  if (unit < 0x20) return 7;
  if (unit === 0x22 || unit === 0x5c) return 4;
  if (unit === 0x3c) return 5;
  if (unit < 0x80) return 1;
  if (unit < 0x800) return 2;
  return unit >= 0xd800 && unit <= 0xdfff ? 7 : 3;
}

function fits({ bytes, characters }: Size, limits: Size): boolean {
  return bytes <= limits.bytes && characters <= limits.characters;
}

function plus(one: Size, other: Size): Size {
  return { bytes: one.bytes + other.bytes, characters: one.characters + other.characters };
}

function minus(one: Size, other: Size): Size {
  return { bytes: one.bytes - other.bytes, characters: one.characters - other.characters };
}
