// Exact search and replacement on the bytes of a file, blind only to one thing: whether a line ends in LF or CRLF. The
// text is looked for in a view of the file in which every CRLF is an LF; what is put in place takes, line by line, the
// endings of what it replaces. Every byte outside a match stays as it is, valid UTF-8 or not.
import { type FindOptions, findBytes } from './find-sequence.ts';

/** Byte offsets in the file. */
export interface Match {
  start: number;
  end: number;
}

const CR = 0x0d;
const LF = 0x0a;
const CRLF = Buffer.from('\r\n');
const BOM = Buffer.from('\ufeff');

export function findText(bytes: Buffer, text: string, options: FindOptions): Match[] {
  const { view, wanted } = prepare(bytes, unified(text));
  return findBytes(view.bytes, wanted, options).map((at) => ({
    start: view.offsetOf(at),
    end: view.offsetOf(at + wanted.length),
  }));
}

/** The matches must not overlap and must be in order. */
export function replaceMatches(bytes: Buffer, matches: readonly Match[], text: string): Buffer {
  const replacementFor = createReplacement(bytes, unified(text));
  const parts: Buffer[] = [];
  let end = 0;
  for (const match of matches) {
    parts.push(bytes.subarray(end, match.start), replacementFor(match));
    end = match.end;
  }
  parts.push(bytes.subarray(end));
  return Buffer.concat(parts);
}

/** Whether replacing one by the other would change nothing but line endings, which an edit keeps. */
export function isSameText(oldText: string, newText: string): boolean {
  return unified(oldText) === unified(newText);
}

export function lineOf(bytes: Buffer, offset: number): number {
  let line = 1;
  for (let at = bytes.indexOf(LF); at >= 0 && at < offset; at = bytes.indexOf(LF, at + 1)) line += 1;
  return line;
}

function unified(text: string): string {
  return text.replaceAll('\r\n', '\n');
}

/** A file of one kind of line ending needs no view of its own: the text is spelled with that ending instead. */
function prepare(bytes: Buffer, text: string): { view: View; wanted: Buffer } {
  const itself: View = { bytes, offsetOf: (at) => at };
  const kinds = kindsOfEndings(bytes);
  if (!kinds.crlf) return { view: itself, wanted: Buffer.from(text) };
  // A lone CR at its end must not be found in the middle of a line ending.
  if (!kinds.lf && !text.endsWith('\r')) return { view: itself, wanted: Buffer.from(text.replaceAll('\n', '\r\n')) };
  return { view: unifyLineEndings(bytes), wanted: Buffer.from(text) };
}

function kindsOfEndings(bytes: Buffer): { lf: boolean; crlf: boolean } {
  if (!bytes.includes(CRLF)) return { lf: bytes.includes(LF), crlf: false };
  for (let at = bytes.indexOf(LF); at >= 0; at = bytes.indexOf(LF, at + 1)) {
    if (endingAt(bytes, at) === '\n') return { lf: true, crlf: true };
  }
  return { lf: false, crlf: true };
}

interface View {
  bytes: Buffer;
  /** Where a byte of the view is in the file; a line ending begins with its CR. */
  offsetOf(at: number): number;
}

function unifyLineEndings(bytes: Buffer): View {
  /** Places in the view of the LFs that have lost their CR. */
  const shortened: number[] = [];
  const parts: Buffer[] = [];
  let end = 0;
  for (let at = bytes.indexOf(CRLF); at >= 0; at = bytes.indexOf(CRLF, at + 2)) {
    shortened.push(at - shortened.length);
    parts.push(bytes.subarray(end, at));
    end = at + 1;
  }
  parts.push(bytes.subarray(end));
  return { bytes: Buffer.concat(parts), offsetOf: (at) => at + countBelow(shortened, at) };
}

/** How many of the sorted numbers are below the limit. */
function countBelow(sorted: readonly number[], limit: number): number {
  let low = 0;
  let high = sorted.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((sorted[middle] ?? 0) < limit) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** To be asked for matches in order. */
function createReplacement(bytes: Buffer, text: string): (match: Match) => Buffer {
  const kinds = kindsOfEndings(bytes);
  const everywhere = kinds.crlf && kinds.lf ? undefined : kinds.crlf ? '\r\n' : '\n';
  const endingNear = createEndingNear(bytes);
  const spelled = (whole: string, match: Match): Buffer => {
    if (!whole.includes('\n') || everywhere === '\n') return Buffer.from(whole);
    if (everywhere) return Buffer.from(whole.replaceAll('\n', everywhere));
    const endings = endingsIn(bytes, match);
    const last = endings.at(-1) ?? endingNear(match);
    let line = 0;
    return Buffer.from(whole.replaceAll('\n', () => endings[line++] ?? last));
  };
  return (match) => {
    // A byte order mark is not a part of the text: it stays even where a match begins with it.
    const losesMark = match.start === 0 && match.end >= BOM.length && bytes.subarray(0, BOM.length).equals(BOM);
    return spelled(losesMark && !text.startsWith('\ufeff') ? `\ufeff${text}` : text, match);
  };
}

function endingsIn(bytes: Buffer, { start, end }: Match): string[] {
  const endings: string[] = [];
  for (let at = bytes.indexOf(LF, start); at >= 0 && at < end; at = bytes.indexOf(LF, at + 1)) {
    endings.push(endingAt(bytes, at));
  }
  return endings;
}

/** Of the line a match ends in; where that is the last one and has none, of the line before. */
function createEndingNear(bytes: Buffer): (match: Match) => string {
  let next = 0;
  let last: number | undefined;
  return ({ end }) => {
    if (next >= 0 && next < end) next = bytes.indexOf(LF, end);
    if (next < 0) last ??= bytes.lastIndexOf(LF);
    const newline = last ?? next;
    return newline >= 0 ? endingAt(bytes, newline) : '\n';
  };
}

function endingAt(bytes: Buffer, newline: number): string {
  return newline > 0 && bytes[newline - 1] === CR ? '\r\n' : '\n';
}
