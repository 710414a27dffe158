// Puts hunks into the bytes of a file. A hunk's context and removed lines are looked for line by line, exactly first, then without
// white space at line ends, then with typographic quotation marks and dashes read as plain ones. Where they occur more than once, an
// anchor, a line number or the end of the file decides; otherwise the hunk is refused. Lines that stay keep their bytes, valid UTF-8
// or not; added lines take the line ending of their neighbours.

import type { ToolFailure } from '../../tool.ts';
import { findSequence } from '../find-sequence.ts';
import { type Hunk, type HunkLine, patchFailure } from './patch.ts';

interface Line {
  bytes: Buffer;
  /** Decoded, without its ending. */
  text: string;
  ending: '\n' | '\r\n' | '';
  isAdded?: true;
  /** Of an added line: see HunkLine. */
  hasEnding?: boolean;
}

/** In lines of the file before the patch. */
interface Edit {
  start: number;
  end: number;
  lines: Line[];
}

const LF = 0x0a;
const CR = 0x0d;
const BOM = Buffer.from('\ufeff');
const LINES_NAMED = 10;
const MOST_PLACES = 10_000;
/** Lines times hunks: about a second. */
const MOST_COMPARISONS = 20_000_000;

export type ExplainMissing = (wanted: string) => Promise<string>;

export async function applyHunks(
  path: string,
  bytes: Buffer,
  hunks: readonly Hunk[],
  explainMissing: ExplainMissing = async () => '',
): Promise<Buffer> {
  const mark = bytes.subarray(0, BOM.length).equals(BOM) ? BOM : Buffer.alloc(0);
  const lines = splitLines(bytes.subarray(mark.length));
  if (lines.length * hunks.length > MOST_COMPARISONS) {
    throw patchFailure(`${hunks.length} hunks in the ${lines.length} lines of ${path} are too many: use fewer`);
  }
  const edits: Edit[] = [];
  for (const hunk of hunks) {
    const start = findHunk(path, lines, hunk, edits);
    if (start === undefined) throw await notFound(path, hunk, explainMissing);
    edits.push(...editsOf(hunk, start, lines));
  }
  return Buffer.concat([mark, ...joined(lines, edits)]);
}

/** The index of the line at which the hunk begins; undefined when its lines are not there. */
function findHunk(path: string, lines: readonly Line[], hunk: Hunk, edits: readonly Edit[]): number | undefined {
  const wanted = hunk.lines.filter(({ sign }) => sign !== '+');
  const after = Math.max(0, ...edits.map(({ end }) => end));
  const anchor = findAnchors(lines, hunk.anchors, after);
  if (wanted.length === 0) return insertionPoint(lines, hunk, anchor);
  const isFree = (start: number): boolean =>
    edits.length === 0 || editsOf(hunk, start, lines).every((edit) => !edits.some(overlaps(edit)));
  for (const fold of FOLDS) {
    const found = positions(lines, wanted, fold).filter(isFree);
    if (found.length === 0) continue;
    const chosen = choose(found, { hunk, anchor, after, end: lines.length - wanted.length });
    if (chosen === undefined) throw severalFound(path, hunk, found);
    return chosen;
  }
  return undefined;
}

const FOLDS: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.trimEnd(),
  (text) =>
    text
      .trimEnd()
      .replace(/[\u2018-\u201b]/g, "'")
      .replace(/[\u201c-\u201f]/g, '"')
      .replace(/[\u2010-\u2015\u2212]/g, '-')
      .replace(/[\u00a0\u2002-\u200a\u202f\u3000]/g, ' '),
];

/** Lines become numbers, so that the search is linear whatever the lines are. */
function positions(lines: readonly Line[], wanted: readonly HunkLine[], fold: (text: string) => string): number[] {
  const numbers = new Map<string, number>();
  const wantedNumbers = wanted.map(({ text }) => {
    const folded = fold(text);
    const number = numbers.get(folded) ?? numbers.size + 1;
    numbers.set(folded, number);
    return number;
  });
  const whole = lines.map(({ text }) => numbers.get(fold(text)) ?? 0);
  return findSequence(whole, wantedNumbers, { overlapping: true, limit: MOST_PLACES });
}

interface Preferences {
  hunk: Hunk;
  /** Of the last anchor. */
  anchor: number | undefined;
  /** Where the hunks before it end. */
  after: number;
  /** Where a hunk begins that ends with the file. */
  end: number;
}

function choose(found: readonly number[], { hunk, anchor, after, end }: Preferences): number | undefined {
  if (found.length === 1) return found[0];
  if (hunk.atEnd && found.includes(end)) return end;
  const { near } = hunk;
  if (near !== undefined)
    return found.toSorted((one, other) => Math.abs(one - near + 1) - Math.abs(other - near + 1))[0];
  if (anchor !== undefined) {
    const below = found.find((start) => start >= anchor);
    if (below !== undefined) return below;
  }
  const following = found.filter((start) => start >= after);
  return after > 0 && following.length === 1 ? following[0] : undefined;
}

/** Each anchor is looked for below the one before. */
function findAnchors(lines: readonly Line[], anchors: readonly string[], after: number): number | undefined {
  let at: number | undefined;
  for (const anchor of anchors) {
    const from = at === undefined ? after : at + 1;
    const isEqual = ({ text }: Line, index: number): boolean => index >= from && text.trim() === anchor;
    const begins = ({ text }: Line, index: number): boolean => index >= from && text.trim().startsWith(anchor);
    const equal = lines.findIndex(isEqual);
    const found = equal >= 0 ? equal : lines.findIndex(begins);
    if (found < 0) return undefined;
    at = found;
  }
  return at;
}

/** A hunk that only adds: below its anchor, at its line, or at the end. */
function insertionPoint(lines: readonly Line[], hunk: Hunk, anchor: number | undefined): number | undefined {
  if (hunk.anchors.length > 0) return anchor === undefined ? undefined : anchor + 1;
  return hunk.near === undefined ? lines.length : Math.min(Math.max(hunk.near - 1, 0), lines.length);
}

/** One edit for each run of removed and added lines: context is only looked for. */
function editsOf({ lines: hunkLines }: Hunk, start: number, lines: readonly Line[]): Edit[] {
  const edits: Edit[] = [];
  let at = start;
  let open: Edit | undefined;
  for (const { sign, text, hasEnding } of hunkLines) {
    if (sign === ' ') {
      open = undefined;
      at += 1;
      continue;
    }
    if (!open) {
      open = { start: at, end: at, lines: [] };
      edits.push(open);
    }
    if (sign === '-') {
      at += 1;
      open.end = at;
    } else open.lines.push({ bytes: Buffer.from(text), text, ending: endingNear(lines, at), isAdded: true, hasEnding });
  }
  return edits;
}

function overlaps(one: Edit): (other: Edit) => boolean {
  return (other) => one.start < other.end && other.start < one.end;
}

function joined(lines: readonly Line[], edits: readonly Edit[]): Buffer[] {
  const result: Line[] = [];
  let at = 0;
  for (const edit of edits.toSorted((one, other) => one.start - other.start || one.end - other.end)) {
    for (; at < edit.start; at += 1) result.push(lines[at] as Line);
    for (const line of edit.lines) result.push(line);
    at = Math.max(at, edit.end);
  }
  for (; at < lines.length; at += 1) result.push(lines[at] as Line);
  const wasOpen = lines.at(-1)?.ending === '';
  return result.flatMap((line, index) => {
    const isLast = index === result.length - 1;
    const ending = isLast ? lastEnding(line, wasOpen) : line.ending || endingNear(lines, lines.length - 1);
    return [line.bytes, Buffer.from(ending)];
  });
}

/** An added last line ends as the last line before did, unless the patch says otherwise. */
function lastEnding({ ending, isAdded, hasEnding }: Line, wasOpen: boolean): string {
  if (!isAdded) return ending;
  return (hasEnding ?? !wasOpen) ? ending || '\n' : '';
}

function splitLines(bytes: Buffer): Line[] {
  const lines: Line[] = [];
  for (let start = 0; start < bytes.length; ) {
    const newline = bytes.indexOf(LF, start);
    const end = newline < 0 ? bytes.length : newline;
    const hasReturn = newline > start && bytes[newline - 1] === CR;
    const content = bytes.subarray(start, hasReturn ? end - 1 : end);
    lines.push({
      bytes: content,
      text: content.toString('utf8'),
      ending: newline < 0 ? '' : hasReturn ? '\r\n' : '\n',
    });
    start = end + 1;
  }
  return lines;
}

function endingNear(lines: readonly Line[], at: number): '\n' | '\r\n' {
  return lines[at]?.ending || lines[at - 1]?.ending || lines[0]?.ending || '\n';
}

function severalFound(path: string, { patchLine }: Hunk, found: readonly number[]): ToolFailure {
  const named = found.slice(0, LINES_NAMED).map((start) => start + 1);
  const more = found.length > LINES_NAMED ? ', …' : '';
  const where = `${found.length} times in ${path} (lines ${named.join(', ')}${more})`;
  return patchFailure(
    `these lines occur ${where}: add lines around them, or name the place with "@@ line above"`,
    patchLine,
  );
}

async function notFound(path: string, hunk: Hunk, explainMissing: ExplainMissing): Promise<ToolFailure> {
  const wanted = hunk.lines.flatMap(({ sign, text }) => (sign === '+' ? [] : [text])).join('\n');
  if (wanted === '' && hunk.anchors.length > 0)
    return patchFailure(`"@@ ${hunk.anchors.join(' … ')}" is not in ${path}`, hunk.patchLine);
  const closest = await explainMissing(wanted);
  const shown = closest === '' ? '' : `\nClosest:\n${closest}\n`;
  return patchFailure(`these lines are not in ${path}; copy them exactly as they are now${shown}`, hunk.patchLine);
}
