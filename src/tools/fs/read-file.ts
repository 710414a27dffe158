import type { FileHandle } from 'node:fs/promises';
import { sha256Of } from '../../lib/sha256.ts';
import type { OpenedFile } from '../../workspace/workspace.ts';
import { defineTool } from '../define-tool.ts';
import { ToolFailure, type ToolOutput, type ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';
import { seenNow } from './seen.ts';

const BLOCK_BYTES = 64 * 1024;
const NEWLINE = 0x0a;
/** A range is looked for no further than this into a file. */
const SCAN_LIMIT_BYTES = 512 * 1024 * 1024;
const MAX_BYTES = 10 * 1024 * 1024;
/** A file up to this size is read whole even when only a range is asked for: it may be edited next. */
const NOTED_BYTES = 4 * 1024 * 1024;
/** A file that changed less than this ago can change again without its times showing it: then its content counts too. */
const SETTLED_MS = 2_000;

interface Range {
  startLine: number;
  maxLines: number;
}

export function createReadFileTool(): ToolSpec {
  return defineTool({
    name: 'fs.read_file',
    aliases: ['file_read'],
    schema: {
      type: 'object',
      properties: {
        path: { type: 'string', minLength: 1 },
        startLine: { type: 'integer', minimum: 1 },
        maxLines: { type: 'integer', minimum: 1 },
        maxBytes: { type: 'integer', minimum: 1, maximum: MAX_BYTES, default: 204_800 },
      },
      required: ['path'],
      additionalProperties: false,
    },
    effect: 'read',
    subject: ({ path }) => ({ kind: 'path', path, access: 'read' }),
    rules: { pattern: 'path', governs: 'read' },
    handlesFiles: 'contents',
    timeoutMs: 20_000,
    async fingerprint({ path }, { workspace, signal, now }) {
      const file = await workspace.openFile(path, signal).catch(() => undefined);
      if (!file) return undefined;
      try {
        const state = `${file.path}|${file.fingerprint}`;
        if (now() - file.changedAt >= SETTLED_MS) return state;
        return file.size > MAX_BYTES ? undefined : `${state}|${await contentHash(file)}`;
      } finally {
        await file.handle.close();
      }
    },
    async execute({ path, startLine, maxLines, maxBytes }, { workspace, signal, seen, now }) {
      const range = rangeOf(startLine, maxLines);
      const file = await workspace.openFile(path, signal).catch(orToolFailure);
      try {
        const { output, whole } = range
          ? await readRange(file, range, maxBytes, signal)
          : await readWhole(file, maxBytes);
        const bytes = whole ?? (file.size <= NOTED_BYTES ? await readAt(file.handle, 0, file.size) : undefined);
        // A note that is lost only means that a later edit is not compared with this look.
        const shown = await seenNow(file.fingerprint, file.size, now(), bytes);
        await seen.note(file.path, shown).catch(() => {});
        return output;
      } finally {
        await file.handle.close();
      }
    },
  });
}

/** Undefined: the whole file. */
function rangeOf(startLine: number | undefined, maxLines: number | undefined): Range | undefined {
  if (startLine === undefined && maxLines === undefined) return undefined;
  return { startLine: startLine ?? 1, maxLines: maxLines ?? Number.POSITIVE_INFINITY };
}

interface Read {
  output: ToolOutput;
  /** The whole content, when it was read. */
  whole?: Buffer;
}

async function readWhole({ handle, path, size }: OpenedFile, maxBytes: number): Promise<Read> {
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
): Promise<Read> {
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

async function contentHash({ handle, size }: OpenedFile): Promise<string> {
  return sha256Of(await readAt(handle, 0, size));
}

function output(path: string, bytes: Buffer, facts: Record<string, number>): ToolOutput {
  if (bytes.includes(0)) throw new ToolFailure(`${path} is a binary file: it has no text to show`);
  const content = bytes.toString('utf8');
  return { data: { path, content, ...facts }, text: content };
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

async function readAt(handle: FileHandle, position: number, length: number): Promise<Buffer> {
  const buffer = Buffer.allocUnsafe(length);
  let done = 0;
  while (done < length) {
    const { bytesRead } = await handle.read(buffer, done, length - done, position + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}
