// Cuts a Markdown text into parts that each fit into a message: between blocks where it can, else between lines, words,
// characters. A code fence that is cut is closed in one part and opened again, with its language, in the next. A text
// that fits is returned as it is; nothing but white space is ever lost.

export interface SplitOptions {
  /** The most that `measure` may say of a part. */
  limit: number;
  /** How much of a message a text takes; by default its characters. Must not shrink when the text grows. */
  measure?: (text: string) => number;
}

interface Block {
  /** The text between it and the block before. */
  before: '\n' | '\n\n';
  text: string;
  fence?: { opening: string; lines: string[]; closing: string };
}

export function splitMarkdown(markdown: string, { limit, measure = (text) => text.length }: SplitOptions): string[] {
  const fits = (text: string): boolean => measure(text) <= limit;
  if (markdown.trim() === '') return [];
  if (fits(markdown)) return [markdown];
  const parts: string[] = [];
  let current = '';
  for (const block of blocksOf(markdown)) {
    const joined = current === '' ? block.text : `${current}${block.before}${block.text}`;
    if (fits(joined)) {
      current = joined;
      continue;
    }
    if (current !== '') parts.push(current);
    const pieces = fits(block.text) ? [block.text] : piecesOf(block, fits);
    current = pieces.pop() ?? '';
    parts.push(...pieces);
  }
  if (current !== '') parts.push(current);
  return parts.filter((part) => part.trim() !== '');
}

function blocksOf(markdown: string): Block[] {
  const blocks: Block[] = [];
  let open: Block | undefined;
  let afterBlank = false;
  const begin = (line: string): Block => {
    const block: Block = { before: afterBlank ? '\n\n' : '\n', text: line };
    blocks.push(block);
    return block;
  };
  for (const line of markdown.split('\n')) {
    if (open?.fence) {
      open.text += `\n${line}`;
      if (isClosing(line, open.fence.closing)) open = undefined;
      else open.fence.lines.push(line);
      afterBlank = false;
      continue;
    }
    const mark = fenceMark(line);
    if (mark !== undefined) {
      open = begin(line);
      open.fence = { opening: line, lines: [], closing: mark };
    } else if (line.trim() === '') {
      open = undefined;
      afterBlank = true;
      continue;
    } else if (open) open.text += `\n${line}`;
    else open = begin(line);
    afterBlank = false;
  }
  return blocks;
}

/** The line that would close a fence which this line opens, or undefined when it opens none. */
function fenceMark(line: string): string | undefined {
  const [, indent = '', mark, info = ''] = /^([ \t]*)(`{3,}|~{3,})(.*)$/.exec(line) ?? [];
  if (mark === undefined || (mark.startsWith('`') && info.includes('`'))) return undefined;
  return indent + mark;
}

function isClosing(line: string, closing: string): boolean {
  const mark = closing.trim();
  const written = line.trim();
  return written.length >= mark.length && written === (mark[0] ?? '').repeat(written.length);
}

function piecesOf(block: Block, fits: (text: string) => boolean): string[] {
  if (!block.fence) return packed(block.text.split('\n'), '\n', fits, (line) => cutLine(line, fits));
  const { lines, closing } = block.fence;
  // An opening that leaves no room loses its language.
  const opening = fits(`${block.fence.opening}\n${'x'.repeat(16)}\n${closing}`) ? block.fence.opening : closing;
  const wrapped = (text: string): string => `${opening}\n${text}\n${closing}`;
  const fitsInside = (text: string): boolean => fits(wrapped(text));
  return packed(lines, '\n', fitsInside, (line) => cutCharacters(line, fitsInside)).map(wrapped);
}

function cutLine(line: string, fits: (text: string) => boolean): string[] {
  return packed(line.split(' '), ' ', fits, (word) => cutCharacters(word, fits));
}

/** As many of the items together as fit, in order; one that does not fit alone is cut. */
function packed(
  items: readonly string[],
  separator: string,
  fits: (text: string) => boolean,
  cut: (item: string) => string[],
): string[] {
  const pieces: string[] = [];
  let current: string | undefined;
  for (const item of items) {
    const joined: string = current === undefined ? item : current + separator + item;
    if (fits(joined)) {
      current = joined;
      continue;
    }
    if (current !== undefined) pieces.push(current);
    const cuts: string[] = fits(item) ? [item] : cut(item);
    current = cuts.pop();
    pieces.push(...cuts);
  }
  if (current !== undefined) pieces.push(current);
  return pieces;
}

/** The longest beginnings that fit, no character cut in two; one character at least, whatever `fits` says. */
function cutCharacters(text: string, fits: (text: string) => boolean): string[] {
  const characters = Array.from(text);
  const pieces: string[] = [];
  let from = 0;
  while (from < characters.length) {
    let least = 1;
    let most = characters.length - from;
    while (least < most) {
      const middle = Math.ceil((least + most) / 2);
      if (fits(characters.slice(from, from + middle).join(''))) least = middle;
      else most = middle - 1;
    }
    pieces.push(characters.slice(from, from + least).join(''));
    from += least;
  }
  return pieces;
}
