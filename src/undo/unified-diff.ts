// A unified diff of two contents, bounded. Equal bytes at both ends are cut off first, so a small change in a large
// file costs its own size; the rest goes to the diff library, which gives up on too many differences: then the whole rest is
// shown as removed and added. A text that would exceed the limit ends after a line, with a note.
import { isAscii, isUtf8 } from 'node:buffer';
import type { StructuredPatchHunk } from 'diff';

export interface DiffRequest {
  path: string;
  /** Undefined when the file did not exist. */
  before: Uint8Array | undefined;
  after: Uint8Array | undefined;
  maxChars: number;
}

export interface Diff {
  text: string;
  added: number;
  removed: number;
  truncated: boolean;
}

const NEWLINE = 0x0a;
const CONTEXT = 3;
const MOST_EDITS = 2_000;
const LONGEST_MS = 100;
const NO_NEWLINE = '\\ No newline at end of file';

export async function unifiedDiff({ path, before, after, maxChars }: DiffRequest): Promise<Diff> {
  const header = [before ? `--- a/${path}` : '--- /dev/null', after ? `+++ b/${path}` : '+++ /dev/null'];
  const old = asBuffer(before);
  const now = asBuffer(after);
  if (old.equals(now)) return { text: '', added: 0, removed: 0, truncated: false };
  if (old.includes(0) || now.includes(0)) {
    const text = `Binary file ${path}: ${old.length} bytes before, ${now.length} after\n`;
    return { text, added: 0, removed: 0, truncated: false };
  }
  const window = differingLines(old, now, await decoderOf(old, now));
  const hunks = await hunksOf(window.old, window.now);
  let added = 0;
  let removed = 0;
  const lines = [...header];
  for (const { oldStart, oldLines, newStart, newLines, lines: changed } of hunks) {
    const from = range(oldStart + window.linesBefore, oldLines);
    lines.push(`@@ -${from} +${range(newStart + window.linesBefore, newLines)} @@`, ...changed);
    for (const line of changed) {
      if (line.startsWith('+')) added += 1;
      if (line.startsWith('-')) removed += 1;
    }
  }
  return { ...bounded(lines, maxChars), added, removed };
}

type Decode = (bytes: Buffer) => string;

/** Both are shown in the charset that the file keeps; where it is changed to or from UTF-8, as UTF-8, in which every changed line differs. */
async function decoderOf(old: Buffer, now: Buffer): Promise<Decode> {
  const asUtf8: Decode = (bytes) => bytes.toString('utf8');
  const [foreign, other] = isUtf8(old) ? [now, old] : [old, now];
  if (isUtf8(foreign) || (isUtf8(other) && !isAscii(other))) return asUtf8;
  const { charsetOf } = await import('../documents/text-charset.ts');
  const charset = charsetOf(foreign);
  // UTF-16 cannot be cut into lines by its bytes.
  if (charset.startsWith('utf-')) return asUtf8;
  const decoder = new TextDecoder(charset);
  return (bytes) => decoder.decode(bytes);
}

/** The lines that differ, with some context, and the number of lines before them. */
function differingLines(old: Buffer, now: Buffer, decode: Decode): { old: string; now: string; linesBefore: number } {
  const shorter = Math.min(old.length, now.length);
  const head = longestEqual(shorter, (length) => old.subarray(0, length).equals(now.subarray(0, length)));
  const tail = longestEqual(shorter - head, (length) =>
    old.subarray(old.length - length).equals(now.subarray(now.length - length)),
  );
  let start = head === 0 ? 0 : old.lastIndexOf(NEWLINE, head - 1) + 1;
  for (let line = 0; line < CONTEXT && start > 0; line += 1) {
    start = start === 1 ? 0 : old.lastIndexOf(NEWLINE, start - 2) + 1;
  }
  let end = old.length - tail;
  for (let line = 0; line <= CONTEXT && end < old.length; line += 1) {
    const newline = old.indexOf(NEWLINE, end);
    end = newline < 0 ? old.length : newline + 1;
  }
  return {
    old: decode(old.subarray(start, end)),
    now: decode(now.subarray(start, now.length - (old.length - end))),
    linesBefore: countLines(old.subarray(0, start)),
  };
}

/** The largest length up to `most` that is still equal. Comparing is the system's memcmp, so halving is cheap. */
function longestEqual(most: number, isEqual: (length: number) => boolean): number {
  if (isEqual(most)) return most;
  let equal = 0;
  let different = most;
  while (different - equal > 1) {
    const middle = equal + Math.floor((different - equal) / 2);
    if (isEqual(middle)) equal = middle;
    else different = middle;
  }
  return equal;
}

type Hunk = Pick<StructuredPatchHunk, 'oldStart' | 'oldLines' | 'newStart' | 'newLines' | 'lines'>;

async function hunksOf(old: string, now: string): Promise<Hunk[]> {
  if (old !== '' && now !== '') {
    const plain = oneChange(linesOf(old), linesOf(now));
    if (plain) return [plain];
    const { structuredPatch } = await import('diff');
    const limits = { context: CONTEXT, maxEditLength: MOST_EDITS, timeout: LONGEST_MS };
    const patch = structuredPatch('', '', old, now, undefined, undefined, limits);
    if (patch) return patch.hunks;
  }
  const removed = marked('-', old);
  const added = marked('+', now);
  const counts = { oldLines: linesIn(removed), newLines: linesIn(added) };
  // As in the library: an empty side starts at the line before.
  return [{ oldStart: 1, newStart: 1, ...counts, lines: [...removed, ...added] }];
}

/** Handles simple changes without a search: lines removed, added, or one replaced, in one place. Otherwise undefined. */
function oneChange(old: string[], now: string[]): Hunk | undefined {
  let head = 0;
  while (head < Math.min(old.length, now.length) && old[head] === now[head]) head += 1;
  let tail = 0;
  const most = Math.min(old.length, now.length) - head;
  while (tail < most && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const removed = old.slice(head, old.length - tail);
  const added = now.slice(head, now.length - tail);
  if (Math.min(removed.length, added.length) > 1) return undefined;
  const before = Math.min(head, CONTEXT);
  const after = Math.min(tail, CONTEXT);
  const shown = [
    ...old.slice(head - before, head).map((line) => ` ${line}`),
    ...removed.map((line) => `-${line}`),
    ...added.map((line) => `+${line}`),
    ...old.slice(old.length - tail, old.length - tail + after).map((line) => ` ${line}`),
  ];
  return {
    oldStart: head - before + 1,
    newStart: head - before + 1,
    oldLines: before + removed.length + after,
    newLines: before + added.length + after,
    lines: shown.flatMap((line) => (line.endsWith('\n') ? [line.slice(0, -1)] : [line, NO_NEWLINE])),
  };
}

/** The lines with their line endings. */
function linesOf(text: string): string[] {
  return text.split(/(?<=\n)/);
}

function marked(sign: '+' | '-', text: string): string[] {
  if (text === '') return [];
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const shown = lines.map((line) => sign + line);
  return text.endsWith('\n') ? shown : [...shown, NO_NEWLINE];
}

function linesIn(lines: string[]): number {
  return lines.filter((line) => line !== NO_NEWLINE).length;
}

function range(start: number, count: number): string {
  if (count === 1) return String(start);
  return `${count === 0 ? start - 1 : start},${count}`;
}

function bounded(lines: string[], maxChars: number): { text: string; truncated: boolean } {
  let length = 0;
  for (const [index, line] of lines.entries()) {
    length += line.length + 1;
    if (length <= maxChars) continue;
    const text = `${lines.slice(0, index).join('\n')}\n… ${lines.length - index} more lines\n`;
    return { text: text.trimStart(), truncated: true };
  }
  return { text: `${lines.join('\n')}\n`, truncated: false };
}

function asBuffer(bytes: Uint8Array | undefined): Buffer {
  return bytes ? Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength) : Buffer.alloc(0);
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return count;
}
