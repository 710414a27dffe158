// Cuts Markdown into chunks of about the wanted size. A chunk is a slice: all chunks together are the unchanged text. First
// the text is cut into blocks (headings, code fences, paragraphs): a heading opens a chunk and is the context of the text
// below it, a fence is never split, a long paragraph is cut between sentences, else between words, else between characters.
// Then blocks are packed until the next one would make the chunk too big.
import { typicalTokens } from './typical-tokens.ts';

export interface Chunk {
  /** The headings above, outermost first: "Garden › Roses". */
  context: string;
  text: string;
}

export interface ChunkOptions {
  /** Approximate tokens of a chunk. Only a chunk that is a single fence may have more than twice as many. */
  size?: number;
  /** Title of the whole text: comes above all headings, unless it is one of them. */
  title?: string;
}

export const DEFAULT_CHUNK_SIZE = 200;
const SMALLEST_SIZE = 16;
const LONGEST_CONTEXT = 160;
const SLACK = 1.15;
/**
 * Matches between sentences and consumes nothing, so nothing is lost. Here and below, no pattern rescans a run of blanks or
 * marks from each of its positions: a text may be a million of them.
 */
const SENTENCE_END =
  /(?=\S)(?<=[.!?…]["'”»)\]]{0,3}\s+)|(?<=[。！？；]["'”」』）]{0,3})(?=[^。！？；"'”」』）\s])|(?<=\n)/;

type Block = { kind: 'heading'; level: number; title: string; text: string } | { kind: 'fence' | 'text'; text: string };

export function chunkMarkdown(text: string, { size = DEFAULT_CHUNK_SIZE, title }: ChunkOptions = {}): Chunk[] {
  const wanted = Math.max(SMALLEST_SIZE, size);
  const blocks = blocksOf(text);
  const above = title === undefined || isHeading(title, blocks) ? [] : [title.replace(/\s+/g, ' ').trim()];
  const chunks: Chunk[] = [];
  const headings: string[] = [];
  const context = (): string => contextOf([...above, ...headings]);
  let open = { context: context(), text: '', tokens: 0, onlyHeadings: true };
  const close = (): void => {
    if (open.text !== '') chunks.push({ context: open.context, text: open.text });
    open = { context: context(), text: '', tokens: 0, onlyHeadings: true };
  };
  const add = (piece: string, opens: boolean): void => {
    const tokens = typicalTokens(piece);
    if (open.text !== '' && open.tokens + tokens > wanted && !(open.onlyHeadings && open.tokens + tokens <= 2 * wanted))
      close();
    open.text += piece;
    open.tokens += tokens;
    open.onlyHeadings &&= opens || piece.trim() === '';
  };
  for (const block of blocks) {
    if (block.kind === 'heading') {
      if (!open.onlyHeadings) close();
      headings.length = Math.min(headings.length, block.level - 1);
      if (open.text === '') open.context = context();
      for (const piece of split(block.text, wanted)) add(piece, true);
      headings[block.level - 1] = block.title;
    } else if (block.kind === 'fence') add(block.text, false);
    else for (const piece of split(block.text, wanted)) add(piece, false);
  }
  close();
  return withoutBlanks(chunks);
}

function isHeading(title: string, blocks: readonly Block[]): boolean {
  return blocks.some((block) => block.kind === 'heading' && block.title === title);
}

/** Joins a chunk of white space to the chunk before it, or to the next. */
function withoutBlanks(chunks: readonly Chunk[]): Chunk[] {
  const kept: Chunk[] = [];
  let leading = '';
  for (const { context, text } of chunks) {
    const last = kept.at(-1);
    if (text.trim() !== '') {
      kept.push({ context, text: leading + text });
      leading = '';
    } else if (last) last.text += text;
    else leading += text;
  }
  return kept;
}

function blocksOf(text: string): Block[] {
  const blocks: Block[] = [];
  let fence: { mark: string; text: string } | undefined;
  let paragraph = '';
  let endsBlank = false;
  const endParagraph = (): void => {
    if (paragraph !== '') blocks.push({ kind: 'text', text: paragraph });
    paragraph = '';
    endsBlank = false;
  };
  for (const line of text.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
    if (fence) {
      fence.text += line;
      if (closes(line, fence.mark)) {
        blocks.push({ kind: 'fence', text: fence.text });
        fence = undefined;
      }
      continue;
    }
    const [, ticks, mark = ticks] = /^ {0,3}(?:(`{3,})[^`]*$|(~{3,}))/.exec(line) ?? [];
    const heading = headingOf(line);
    if (mark !== undefined) {
      endParagraph();
      fence = { mark, text: line };
    } else if (heading) {
      endParagraph();
      blocks.push({ kind: 'heading', ...heading, text: line });
    } else {
      // A paragraph includes the blank lines after it.
      const isBlank = line.trim() === '';
      if (endsBlank && !isBlank) endParagraph();
      endsBlank = isBlank && paragraph !== '';
      paragraph += line;
    }
  }
  endParagraph();
  if (fence) blocks.push({ kind: 'fence', text: fence.text });
  return blocks;
}

/** Closing marks of a heading are not part of its title; the mark of "C#" is. */
export function headingOf(line: string): { level: number; title: string } | undefined {
  const [, hashes, rest = ''] = /^ {0,3}(#{1,6})(?=\s|$)(.*)/.exec(line) ?? [];
  if (hashes === undefined) return undefined;
  const whole = rest.trim();
  let end = whole.length;
  while (whole[end - 1] === '#') end -= 1;
  const isClosed = end === 0 || whole[end - 1]?.trim() === '';
  return { level: hashes.length, title: isClosed ? whole.slice(0, end).trim() : whole };
}

function closes(line: string, mark: string): boolean {
  const closing = line.trim();
  return closing.length >= mark.length && closing === (mark[0] ?? '').repeat(closing.length);
}

/** Cuts into pieces of at most `wanted` tokens and similar size, at the best places available. */
function split(text: string, wanted: number): string[] {
  const tokens = typicalTokens(text);
  if (tokens <= wanted) return [text];
  // Similar size: a short rest would say little, and rank too high for its length.
  const alike = Math.min(wanted, Math.ceil((tokens / Math.ceil(tokens / wanted)) * SLACK));
  return pack(text.split(SENTENCE_END), alike, (sentence) =>
    pack(sentence.match(/\s*\S+\s*|\s+/g) ?? [sentence], wanted, (word) => cutAnywhere(word, wanted)),
  );
}

/** Joins parts while they fit; a part that never fits is cut further. */
function pack(parts: readonly string[], wanted: number, cut: (part: string) => string[]): string[] {
  const packed: string[] = [];
  let open = '';
  let tokens = 0;
  for (const part of parts) {
    const size = typicalTokens(part);
    if (size > wanted) {
      if (open !== '') packed.push(open);
      packed.push(...cut(part));
      open = '';
      tokens = 0;
      continue;
    }
    if (open !== '' && tokens + size > wanted) {
      packed.push(open);
      open = '';
      tokens = 0;
    }
    open += part;
    tokens += size;
  }
  if (open !== '') packed.push(open);
  return packed;
}

function cutAnywhere(text: string, wanted: number): string[] {
  const pieces: string[] = [];
  for (let at = 0; at < text.length; ) {
    let end = Math.min(text.length, at + wanted);
    // Not between the halves of a surrogate pair.
    if (end < text.length && /[\uD800-\uDBFF]/.test(text[end - 1] ?? '')) end -= 1;
    pieces.push(text.slice(at, end));
    at = end;
  }
  return pieces;
}

function contextOf(headings: readonly string[]): string {
  const path = headings.filter((title) => title !== undefined && title !== '').join(' › ');
  return path.length > LONGEST_CONTEXT ? `${path.slice(0, LONGEST_CONTEXT - 1).toWellFormed()}…` : path;
}
