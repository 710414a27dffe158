// Puts hunks into the bytes of a file. A hunk's context and removed lines are looked for line by line, exactly first, then without
// white space at line ends, then with typographic quotation marks and dashes read as plain ones. Where they occur more than once, an
// anchor, a line number or the end of the file decides; otherwise the hunk is refused. Lines that stay keep their bytes, valid UTF-8
// or not; added lines take the line ending of their neighbours.

import type { ToolFailure } from '../../tool.ts';
import { findSequence } from '../find-sequence.ts';
import { createEditedRanges, type EditedRanges, type LineRange } from './edited-ranges.ts';
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
interface Edit extends LineRange {
  lines: Line[];
}

interface PatchedFile {
  path: string;
  lines: readonly Line[];
  /** The lines as numbers, by fold: equal lines have equal numbers. */
  numbered(fold: Fold): NumberedLines;
  edited: EditedRanges;
  /** Throws when placing the hunks takes more steps than `MOST_STEPS`. */
  countSteps(steps: number): void;
}

type Fold = (text: string) => string;

interface NumberedLines {
  numbers: Int32Array;
  numberOf: ReadonlyMap<string, number>;
}

const LF = 0x0a;
const CR = 0x0d;
const BOM = Buffer.from('\ufeff');
const LINES_NAMED = 10;
const MOST_PLACES = 10_000;
/** Lines looked at and places compared, counted before they are: about a second, in which nothing else of the process runs. */
const MOST_STEPS = 20_000_000;

export type ExplainMissing = (wanted: string) => Promise<string>;

export async function applyHunks(
  path: string,
  bytes: Buffer,
  hunks: readonly Hunk[],
  explainMissing: ExplainMissing = async () => '',
): Promise<Buffer> {
  const mark = bytes.subarray(0, BOM.length).equals(BOM) ? BOM : Buffer.alloc(0);
  const lines = splitLines(bytes.subarray(mark.length));
  const file = openFile(path, lines, hunks.length);
  const edits: Edit[] = [];
  for (const hunk of hunks) {
    const start = findHunk(file, hunk);
    if (start === undefined) throw await notFound(path, hunk, explainMissing);
    const added = editsOf(hunk, start, lines);
    file.edited.add(added);
    for (const edit of added) edits.push(edit);
  }
  return Buffer.concat([mark, ...joined(lines, edits)]);
}

function openFile(path: string, lines: readonly Line[], hunkCount: number): PatchedFile {
  const numbered = new Map<Fold, NumberedLines>();
  let stepsTaken = 0;
  return {
    path,
    lines,
    edited: createEditedRanges(),
    numbered(fold) {
      const known = numbered.get(fold) ?? numberLines(lines, fold);
      numbered.set(fold, known);
      return known;
    },
    countSteps(steps) {
      stepsTaken += steps;
      if (stepsTaken <= MOST_STEPS) return;
      const what = `${hunkCount} hunks in the ${lines.length} lines of ${path} take too long to place`;
      throw patchFailure(`${what}: use fewer hunks, or write the whole file`);
    },
  };
}

/** The index of the line at which the hunk begins; undefined when its lines are not there. */
function findHunk(file: PatchedFile, hunk: Hunk): number | undefined {
  const { path, lines, edited, countSteps } = file;
  countSteps(lines.length * (1 + hunk.anchors.length));
  const wanted = hunk.lines.filter(({ sign }) => sign !== '+');
  const after = edited.end;
  const anchor = findAnchors(lines, hunk.anchors, after);
  if (wanted.length === 0) return insertionPoint(lines, hunk, anchor);
  const ranges: readonly LineRange[] = editsOf(hunk, 0, lines);
  const isFree = (at: number): boolean => ranges.every(({ start, end }) => !edited.overlaps(start + at, end + at));
  for (const fold of FOLDS) {
    const places = positions(file.numbered(fold), wanted, fold);
    if (!edited.isEmpty) countSteps(places.length * ranges.length);
    const found = edited.isEmpty ? places : places.filter(isFree);
    if (found.length === 0) continue;
    const chosen = choose(found, { hunk, anchor, after, end: lines.length - wanted.length });
    if (chosen === undefined) throw severalFound(path, hunk, found);
    return chosen;
  }
  return undefined;
}

const FOLDS: readonly Fold[] = [
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

function numberLines(lines: readonly Line[], fold: Fold): NumberedLines {
  const numberOf = new Map<string, number>();
  const numbers = Int32Array.from(lines, ({ text }) => {
    const folded = fold(text);
    const number = numberOf.get(folded) ?? numberOf.size;
    numberOf.set(folded, number);
    return number;
  });
  return { numbers, numberOf };
}

/** Lines are compared as numbers, so that the search is linear whatever the lines are. */
function positions({ numbers, numberOf }: NumberedLines, wanted: readonly HunkLine[], fold: Fold): number[] {
  const wantedNumbers = wanted.map(({ text }) => numberOf.get(fold(text)) ?? -1);
  if (wantedNumbers.includes(-1)) return [];
  return findSequence(numbers, wantedNumbers, { overlapping: true, limit: MOST_PLACES });
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
  if (hunk.near !== undefined) return closest(found, hunk.near - 1);
  if (anchor !== undefined) {
    const below = found.find((start) => start >= anchor);
    if (below !== undefined) return below;
  }
  const following = found.filter((start) => start >= after);
  return after > 0 && following.length === 1 ? following[0] : undefined;
}

/** The first of the closest. */
function closest(found: readonly number[], wanted: number): number | undefined {
  let best = found[0];
  for (const start of found) if (best === undefined || Math.abs(start - wanted) < Math.abs(best - wanted)) best = start;
  return best;
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
