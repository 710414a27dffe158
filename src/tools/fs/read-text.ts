// A text file, whole, a range of its lines, or its last lines. A range is found without reading the file into memory, the last lines
// without reading what comes before them.
import { charsetOf } from '../../documents/text-charset.ts';
import type { OpenedFile } from '../../workspace/workspace.ts';
import { ToolFailure, type ToolOutput } from '../tool.ts';
import { readAt } from './read-at.ts';

const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** A range is looked for no further than this into a file. */
const SCAN_LIMIT_BYTES = 512 * 1024 * 1024;

export interface TextArgs {
  startLine?: number;
  maxLines?: number;
  /** Number of lines from the end. */
  tail?: number;
  maxBytes: number;
}

export interface ReadText {
  output: ToolOutput;
  /** The whole content, when it was read. */
  whole?: Buffer;
}

export async function readText(
  file: OpenedFile,
  { startLine, maxLines, tail, maxBytes }: TextArgs,
  signal: AbortSignal,
): Promise<ReadText> {
  if (tail !== undefined) {
    if (startLine === undefined && maxLines === undefined) return readTail(file, tail, maxBytes, signal);
    throw new ToolFailure('give either tail, or startLine and maxLines', { code: 'invalid_args' });
  }
  const range = rangeOf(startLine, maxLines);
  return range ? readRange(file, range, maxBytes, signal) : readWhole(file, maxBytes);
}

interface Range {
  startLine: number;
  maxLines: number;
}

/** Undefined: the whole file. */
function rangeOf(startLine: number | undefined, maxLines: number | undefined): Range | undefined {
  if (startLine === undefined && maxLines === undefined) return undefined;
  return { startLine: startLine ?? 1, maxLines: maxLines ?? Number.POSITIVE_INFINITY };
}

async function readWhole({ handle, path, size }: OpenedFile, maxBytes: number): Promise<ReadText> {
  if (size > maxBytes) throw tooLarge(path, size, maxBytes);
  // One byte more than allowed: the file may have grown, and files under /proc claim to be empty.
  const bytes = await readAt(handle, 0, maxBytes + 1);
  if (bytes.length > maxBytes) throw tooLarge(path, bytes.length, maxBytes);
  return { output: output(path, bytes, { size: bytes.length }), whole: bytes };
}

async function readRange(
  { handle, path, size }: OpenedFile,
  { startLine, maxLines }: Range,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ReadText> {
  const parts: Buffer[] = [];
  let line = 1;
  let taken = 0;
  for (let position = 0; position < SCAN_LIMIT_BYTES && line < startLine + maxLines; ) {
    signal.throwIfAborted();
    const block = await readAt(handle, position, BLOCK_BYTES);
    if (block.length === 0) break;
    position += block.length;
    for (let start = 0; start < block.length && line < startLine + maxLines; line += 1) {
      const newline = block.indexOf(NEWLINE, start);
      const end = newline < 0 ? block.length : newline + 1;
      if (line >= startLine) {
        parts.push(block.subarray(start, end));
        taken += end - start;
        if (taken > maxBytes) throw tooLarge(path, size, maxBytes, line);
      }
      start = end;
      if (newline < 0) break;
    }
  }
  if (parts.length === 0 && startLine > 1) {
    throw new ToolFailure(`${path} has no line ${startLine}: it ends before`, { code: 'invalid_args' });
  }
  const bytes = Buffer.concat(parts);
  const lines = countLines(bytes);
  return { output: output(path, bytes, { size, startLine, endLine: startLine + Math.max(lines, 1) - 1 }) };
}

/** Block by block from the end, until there are enough lines. */
async function readTail(
  { handle, path, size }: OpenedFile,
  lines: number,
  maxBytes: number,
  signal: AbortSignal,
): Promise<ReadText> {
  const blocks: Buffer[] = [];
  let found = 0;
  let taken = 0;
  for (let end = size; end > 0 && found < lines; ) {
    signal.throwIfAborted();
    const start = Math.max(end - BLOCK_BYTES, 0);
    const block = await readAt(handle, start, end - start);
    // A line ending at the very end of the file begins no further line.
    const last = end === size && block.at(-1) === NEWLINE ? block.length - 1 : block.length;
    let cut = 0;
    for (let at = last; found < lines && at > 0; ) {
      const newline = block.lastIndexOf(NEWLINE, at - 1);
      if (newline < 0) break;
      found += 1;
      cut = newline + 1;
      at = newline;
    }
    const wanted = found < lines ? block : block.subarray(cut);
    blocks.unshift(wanted);
    taken += wanted.length;
    if (taken > maxBytes) throw tooLargeTail(path, lines, maxBytes);
    end = start;
  }
  const bytes = Buffer.concat(blocks);
  return { output: output(path, bytes, { size, lines: countLines(bytes) }), ...(taken === size && { whole: bytes }) };
}

function tooLargeTail(path: string, lines: number, maxBytes: number): ToolFailure {
  const why = `the last ${lines} lines of ${path} are over the limit of ${maxBytes} bytes`;
  return new ToolFailure(`${why}: ask for fewer lines, or raise maxBytes`, { reason: 'limit' });
}

function output(path: string, bytes: Buffer, facts: Record<string, number>): ToolOutput {
  const charset = charsetOf(bytes);
  if (charset.startsWith('utf-16'))
    throw new ToolFailure(`${path} is text in UTF-16: convert it with iconv -f UTF-16 -t UTF-8 to read it`);
  if (bytes.includes(0)) throw new ToolFailure(`${path} is a binary file: it has no text to show`);
  if (charset === 'utf-8') {
    const content = bytes.toString('utf8');
    return { data: { path, content, ...facts }, text: content };
  }
  const content = new TextDecoder(charset).decode(bytes);
  const note = `[text in ${charset}: file_edit, file_write and apply_patch keep it]`;
  return { data: { path, charset, content, ...facts }, text: `${note}\n${content}` };
}

function tooLarge(path: string, size: number, maxBytes: number, line?: number): ToolFailure {
  const what = line === undefined ? `${path} has ${size} bytes` : `the lines asked for (up to line ${line}) in ${path}`;
  return new ToolFailure(
    `${what}, over the limit of ${maxBytes}: read a range with startLine and maxLines (for example startLine 1, maxLines 200) or raise maxBytes`,
    { reason: 'limit' },
  );
}

function countLines(bytes: Buffer): number {
  let count = 0;
  for (let at = bytes.indexOf(NEWLINE); at >= 0; at = bytes.indexOf(NEWLINE, at + 1)) count += 1;
  return bytes.length > 0 && bytes.at(-1) !== NEWLINE ? count + 1 : count;
}
