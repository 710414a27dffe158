// Cuts Markdown into parts that each fit into one Telegram message after rendering: 4096 UTF-16 units and 100 entities.
//
// Blocks are put together as long as they fit. A block that fits into no message alone is cut by its kind: a fence
// between lines, closed and opened again; a list between items; a table between rows, its header repeated; a quote
// between its blocks; a paragraph between words (split-inline.ts). What is too large even so is cut between characters.
//
// In texts made for that, finding emphasis takes quadratic time: there it is looked for in short stretches.
import { Lexer, type Token, type Tokens } from 'marked';
import { renderMarkdown } from './render-markdown.ts';
import { LIMIT, type Room } from './room.ts';
import { splitInline } from './split-inline.ts';

interface Piece {
  source: string;
  /** The source between it and the piece before. */
  before: '\n' | '\n\n';
}

/** Where a block stands that is being cut. */
interface Place {
  room: Room;
  /** Quotes and lists around it. */
  depth: number;
  /** What `[words][1]` leads to. */
  links: Links;
}

type Links = Lexer['tokens']['links'];

/** What is longer than this is not rendered to see whether it fits: it does not, but for long addresses. */
const LONG = 2 * LIMIT.units;
/** Quotes and lists within each other that are taken apart. */
const DEEPEST = 3;
/** So many signs that may be markup are in no paragraph that people write. */
const MOST_SIGNS = 3_000;

export function splitMessage(markdown: string): string[] {
  if (markdown.trim() === '') return [];
  if (fits(markdown, LIMIT)) return [markdown];
  const text = markdown.toWellFormed().replace(/\r\n?/g, '\n');
  const whole = blocksOf(text);
  if (!whole) return cutAnywhere(text).filter((part) => part.trim() !== '');
  // They are defined at the end of the text: each part needs them.
  const definitions = whole.tokens.filter(({ type }) => type === 'def').map(({ raw }) => raw.trim());
  return splitBlocks(whole.tokens, { room: LIMIT, depth: 0, links: whole.links })
    .map((part) => (/\]/.test(part) ? [part, ...definitions.filter((each) => isUsed(each, part))].join('\n\n') : part))
    .flatMap((part) => (fits(part, LIMIT) ? [part] : cutAnywhere(part)))
    .filter((part) => part.trim() !== '');
}

/** The blocks, with nothing looked for inside paragraphs. Undefined: nested too deeply. */
function blocksOf(text: string): { tokens: Token[]; links: Links } | undefined {
  const lexer = new Lexer();
  try {
    return { tokens: lexer.blockTokens(text, []), links: lexer.tokens.links };
  } catch {
    return undefined;
  }
}

function isUsed(definition: string, part: string): boolean {
  const [, label = ''] = /^\[([^\]]+)\]:/.exec(definition) ?? [];
  return part.toLowerCase().includes(`[${label.toLowerCase()}]`);
}

function splitBlocks(tokens: readonly Token[], place: Place): string[] {
  const { room, depth } = place;
  const pieces = tokens.flatMap((token): Piece[] => {
    if (token.type === 'space' || token.type === 'def') return [];
    const source = token.raw.replace(/^\n+|\n+$/g, '');
    if (source.trim() === '') return [];
    if (fits(source, room)) return [{ source, before: '\n\n' }];
    if (depth >= DEEPEST) return apart(cutAnywhere(source));
    return splitBlock(token, source, { ...place, depth: depth + 1 });
  });
  return packed(pieces, room);
}

function apart(sources: readonly string[]): Piece[] {
  return sources.map((source) => ({ source, before: '\n\n' }));
}

function splitBlock(token: Token, source: string, place: Place): Piece[] {
  const { room } = place;
  switch (token.type) {
    case 'code':
      return apart(splitCode(token as Tokens.Code, room));
    case 'list':
      return splitList(token as Tokens.List, place);
    case 'table':
      return apart(splitTable(token as Tokens.Table, room));
    case 'blockquote':
      return apart(splitBlocks(token.tokens ?? [], place).map((part) => part.replace(/^/gm, '> ')));
    case 'heading': {
      const mark = `${'#'.repeat(token.depth)} `;
      return apart(splitWords(token.text, place).map((part) => mark + part.replaceAll('\n', ' ')));
    }
    case 'paragraph':
    case 'text':
      return apart(splitWords(source, place));
    default:
      return apart(cutAnywhere(source));
  }
}

function splitWords(text: string, { room, links }: Place): string[] {
  const isOdd = (text.match(/[*_~`[<@.:]/g)?.length ?? 0) > MOST_SIGNS;
  return (isOdd ? stretches(text) : [text]).flatMap((stretch) => {
    const lexer = new Lexer();
    lexer.tokens.links = links;
    return splitInline(lexer.inlineTokens(stretch, []), room);
  });
}

/** No longer than is safe to look for emphasis in, cut at blanks. */
function stretches(text: string): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > LONG) {
    const blank = text.lastIndexOf(' ', from + LONG);
    let to = blank > from + LONG / 2 ? blank : from + LONG;
    if (/[\uDC00-\uDFFF]/.test(text[to] ?? '')) to -= 1;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return [...pieces, text.slice(from)];
}

function splitCode({ text, lang = '' }: Tokens.Code, room: Room): string[] {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = '`'.repeat(longest + 1);
  const parts: string[] = [];
  let lines: string[] = [];
  let units = 0;
  const flush = (): void => {
    if (lines.some((line) => line.trim() !== '')) parts.push(`${fence}${lang}\n${lines.join('\n')}\n${fence}`);
    lines = [];
    units = 0;
  };
  for (const line of text.split('\n').flatMap((each) => chunks(each, room.units))) {
    if (units + line.length + 1 > room.units) flush();
    lines.push(line);
    units += line.length + 1;
  }
  flush();
  return parts;
}

function splitList(list: Tokens.List, place: Place): Piece[] {
  const { room } = place;
  const first = typeof list.start === 'number' ? list.start : 1;
  return list.items.flatMap((item, index): Piece[] => {
    const mark = list.ordered ? `${first + index}. ` : '- ';
    const box = item.task ? `[${item.checked ? 'x' : ' '}] ` : '';
    const whole = mark + box + hanging(item.text, mark.length);
    const before = index === 0 ? '\n\n' : '\n';
    if (fits(whole, room)) return [{ source: whole, before }];
    const inside = { units: room.units - mark.length - box.length - 8, entities: room.entities };
    const inner = blocksOf(item.text);
    const parts = inner ? splitBlocks(inner.tokens, { ...place, room: inside }) : cutAnywhere(item.text);
    return parts.map((part, position) =>
      position === 0 ? { source: mark + box + hanging(part, mark.length), before } : { source: part, before: '\n\n' },
    );
  });
}

function hanging(text: string, columns: number): string {
  return text.replace(/\n(?!\n|$)/g, `\n${' '.repeat(columns)}`);
}

function splitTable(table: Tokens.Table, room: Room): string[] {
  const [header = '', rule = '', ...rows] = table.raw.split('\n').filter((line) => line.trim() !== '');
  const assembled = (from: number, to: number): string => [header, rule, ...rows.slice(from, to)].join('\n');
  const parts: string[] = [];
  for (let from = 0, to = 0; from < rows.length; from = to) {
    // The largest number of rows that fits, by halving.
    let least = from;
    let most = rows.length;
    while (least < most) {
      const middle = Math.ceil((least + most) / 2);
      if (fits(assembled(from, middle), room)) least = middle;
      else most = middle - 1;
    }
    to = Math.max(from + 1, least);
    const row = rows[from] ?? '';
    parts.push(...(least > from ? [assembled(from, to)] : splitCode({ type: 'code', raw: row, text: row }, room)));
  }
  return parts;
}

/** As many pieces together as fit. */
function packed(pieces: readonly Piece[], room: Room): string[] {
  const parts: string[] = [];
  let current = '';
  let used: Room = { units: 0, entities: 0 };
  for (const { source, before } of pieces) {
    const size = sizeOf(source);
    const together = { units: used.units + 2 + size.units, entities: used.entities + size.entities };
    if (current !== '' && together.units <= room.units && together.entities <= room.entities) {
      current += before + source;
      used = together;
      continue;
    }
    if (current !== '') parts.push(current);
    current = source;
    used = size;
  }
  if (current !== '') parts.push(current);
  return parts;
}

function sizeOf(markdown: string): Room {
  const { text, entities } = renderMarkdown(markdown);
  return { units: text.length, entities: entities.length };
}

function fits(markdown: string, room: Room): boolean {
  if (markdown.length > LONG) return false;
  const { units, entities } = sizeOf(markdown);
  return units <= room.units && entities <= room.entities;
}

/** The last resort: halves, between lines or words where there are any near the middle. */
function cutAnywhere(source: string): string[] {
  if (source.length < 2 || fits(source, LIMIT)) return [source];
  const middle = Math.floor(source.length / 2);
  const near = source.slice(Math.floor(middle / 2), middle);
  const blank = Math.max(near.lastIndexOf('\n'), near.lastIndexOf(' '));
  let at = blank < 0 ? middle : Math.floor(middle / 2) + blank + 1;
  if (/[\uDC00-\uDFFF]/.test(source[at] ?? '')) at -= 1;
  if (at < 1) return [source];
  return [source.slice(0, at), source.slice(at)].flatMap(cutAnywhere);
}

/** Pieces of at most so many units, no character cut in two. */
function chunks(text: string, units: number): string[] {
  const pieces: string[] = [];
  let from = 0;
  while (text.length - from > units - 1) {
    let to = from + units - 1;
    if (/[\uDC00-\uDFFF]/.test(text[to] ?? '')) to -= 1;
    pieces.push(text.slice(from, to));
    from = to;
  }
  return [...pieces, text.slice(from)];
}
