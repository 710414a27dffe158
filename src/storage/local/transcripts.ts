// Transcripts as JSONL files. Appending is one write at the end; reading goes backwards in blocks from the end, so a
// turn costs the same on ten lines and on a million. A half-written last line (a crash in the middle of a write) is cut
// off when the file is next opened for writing: it was never acknowledged.
//
// Small reads and writes are synchronous: they meet the page cache, and handing each to another thread takes ten times as
// long. What waits for the disk (a sync) or reads a lot (the conversation) does not stop the process.
import {
  type BigIntStats,
  closeSync,
  constants,
  fdatasync,
  fdatasyncSync,
  fstatSync,
  ftruncateSync,
  openSync,
  read,
  readSync,
  statSync,
  writeSync,
} from 'node:fs';
import { type FileHandle, open, readdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { Fence } from '../locks.ts';
import { ensureDirectory, openPrivateSync, removeDurably, storageError, syncDirectory } from '../private-files.ts';
import type { ScannedLine, Transcript, TranscriptLine, Transcripts } from '../storage.ts';
import { checkTranscriptVersion, parseTranscriptLine } from '../transcript-line.ts';
import { linesWithSums, withoutSum } from './line-sum.ts';

const BLOCK_BYTES = 64 * 1024;
const FIRST_LINE_BYTES = 4 * 1024;
const NEWLINE = 0x0a;
const SUFFIX = '.jsonl';

const syncData = promisify(fdatasync);
const readSome = promisify(read);

export function createTranscripts(
  directory: string,
  verify: (fence: Fence | undefined) => void = () => {},
): Transcripts {
  const pathOf = (sessionId: string): string => join(directory, `${sessionId}${SUFFIX}`);
  return {
    async open(sessionId, fence) {
      const path = pathOf(sessionId);
      try {
        return await openTranscript(path, () => verify(fence));
      } catch (error) {
        throw storageError(path, error);
      }
    },
    scan: (sessionId, isWanted) => scan(pathOf(sessionId), isWanted),
    async revision(sessionId) {
      const found = statSync(pathOf(sessionId), { bigint: true, throwIfNoEntry: false });
      return found && revisionIn(found);
    },
    // Lines are only appended; a change of a line writes another file.
    isContinued(earlier, later) {
      const [[file, size], [sameFile, laterSize]] = [earlier.split(' '), later.split(' ')];
      return file === sameFile && Number(laterSize) >= Number(size);
    },
    async remove(sessionId, fence) {
      verify(fence);
      await removeDurably(pathOf(sessionId));
    },
    async redact(sessionId, redaction, note, fence) {
      const { redactTranscript } = await import('./redact-transcript.ts');
      verify(fence);
      return redactTranscript(pathOf(sessionId), redaction, note);
    },
    async list() {
      const names = await readdir(directory).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw storageError(directory, error);
      });
      return names.flatMap((name) => {
        const sessionId = name.slice(0, -SUFFIX.length);
        return name.endsWith(SUFFIX) && isSessionId(sessionId) ? [sessionId] : [];
      });
    },
  };
}

/** It is also the name of a file. */
export function isSessionId(value: unknown): value is string {
  return typeof value === 'string' && /^[\w-]{1,80}$/.test(value);
}

async function openTranscript(path: string, verify: () => void): Promise<Transcript> {
  verify();
  let file: number;
  let directoryIsSynced = true;
  try {
    file = openSync(path, constants.O_RDWR);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await ensureDirectory(dirname(path));
    file = openPrivateSync(path, constants.O_RDWR | constants.O_CREAT);
    directoryIsSynced = false;
  }
  let size: number;
  let repairedBytes: number;
  try {
    refuseNewer(file, path);
    ({ size, repairedBytes } = repairTail(file));
  } catch (error) {
    closeSync(file);
    throw error;
  }

  // The number of a closed file is given to the next one that is opened: nothing may still wait for it then.
  const syncing = new Set<Promise<void>>();
  const transcript: Transcript = {
    repairedBytes,
    isEmpty: size === 0,
    async append(lines, { thenSync = false } = {}) {
      verify();
      const bytes = linesWithSums(lines.map((line) => JSON.stringify(line)));
      try {
        writeFully(file, bytes, size);
      } catch (error) {
        // Leave no half line behind; where even that fails, the next opening repairs it.
        truncateIfPossible(file, size);
        throw storageError(path, error);
      }
      size += bytes.length;
      if (thenSync) await transcript.sync();
    },
    async sync() {
      const synced = syncData(file);
      syncing.add(synced);
      try {
        await synced;
        if (!directoryIsSynced) await syncDirectory(dirname(path));
        directoryIsSynced = true;
      } catch (error) {
        throw storageError(path, error);
      } finally {
        syncing.delete(synced);
      }
    },
    revision: () => revisionOf(file, size),
    newestFirst: () => newestFirst(file, size),
    async close() {
      await Promise.allSettled(syncing);
      closeSync(file);
    },
  };
  return transcript;
}

/** A write to a file changes its times, a replacement changes its number. */
function revisionOf(file: number, knownSize: number): string | undefined {
  const found = fstatSync(file, { bigint: true });
  return found.size === BigInt(knownSize) ? revisionIn(found) : undefined;
}

function revisionIn({ ino, size, mtimeNs, ctimeNs }: BigIntStats): string {
  return [ino, size, mtimeNs, ctimeNs].join(' ');
}

/** Before anything is repaired: what looks damaged here may be of a newer version. */
function refuseNewer(file: number, path: string): void {
  const block = readBlockSync(file, 0, FIRST_LINE_BYTES);
  const end = block.indexOf(NEWLINE);
  checkTranscriptVersion(end < 0 ? undefined : parseLine(block.toString('utf8', 0, end)), path);
}

function writeFully(file: number, bytes: Buffer, position: number): void {
  for (let done = 0; done < bytes.length; ) done += writeSync(file, bytes, done, bytes.length - done, position + done);
}

function truncateIfPossible(file: number, size: number): void {
  try {
    ftruncateSync(file, size);
  } catch {
    // The disk refuses everything.
  }
}

/** A last line without its newline: kept when it is whole JSON (the newline is added), cut off otherwise. */
function repairTail(file: number): { size: number; repairedBytes: number } {
  const { size } = fstatSync(file);
  const tail = lastLine(file, size);
  if (tail.length === 0) return { size, repairedBytes: 0 };
  if (parseLine(tail.toString()) !== undefined) {
    writeFully(file, Buffer.from('\n'), size);
    return { size: size + 1, repairedBytes: 0 };
  }
  ftruncateSync(file, size - tail.length);
  fdatasyncSync(file);
  return { size: size - tail.length, repairedBytes: tail.length };
}

/** The bytes after the last newline. */
function lastLine(file: number, size: number): Buffer {
  let tail = Buffer.alloc(0);
  for (let end = size; end > 0; ) {
    // A healthy file ends with a newline: one byte answers that.
    const start = end === size ? size - 1 : Math.max(0, end - BLOCK_BYTES);
    const block = readBlockSync(file, start, end);
    const newline = block.lastIndexOf(NEWLINE);
    tail = Buffer.concat([block.subarray(newline + 1), tail]);
    if (newline >= 0) break;
    end = start;
  }
  return tail;
}

async function* newestFirst(file: number, size: number): AsyncIterable<TranscriptLine> {
  // Parts of a line whose start is not read yet, newest block first: joined once, so a long line costs its length.
  let pending: Buffer[] = [];
  for (let end = size; end > 0; ) {
    const start = Math.max(0, end - BLOCK_BYTES);
    const block = await readBlock(file, start, end);
    let lineEnd = block.length;
    for (
      let newline = block.lastIndexOf(NEWLINE);
      newline >= 0;
      newline = newline === 0 ? -1 : block.lastIndexOf(NEWLINE, newline - 1)
    ) {
      const line = parseLine(joinLine(block.subarray(newline + 1, lineEnd), pending));
      pending = [];
      lineEnd = newline;
      if (line) yield line;
    }
    pending.push(block.subarray(0, lineEnd));
    end = start;
  }
  const first = parseLine(joinLine(Buffer.alloc(0), pending));
  if (first) yield first;
}

function joinLine(start: Buffer, laterParts: Buffer[]): string {
  if (laterParts.length === 0) return start.toString();
  return Buffer.concat([start, ...laterParts.toReversed()]).toString();
}

async function readBlock(file: number, start: number, end: number): Promise<Buffer> {
  const block = Buffer.allocUnsafe(end - start);
  let done = 0;
  while (done < block.length) {
    const { bytesRead } = await readSome(file, block, done, block.length - done, start + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return block.subarray(0, done);
}

function readBlockSync(file: number, start: number, end: number): Buffer {
  const block = Buffer.allocUnsafe(end - start);
  let done = 0;
  while (done < block.length) {
    const bytesRead = readSync(file, block, done, block.length - done, start + done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return block.subarray(0, done);
}

async function* scan(path: string, isWanted: (json: string) => boolean = () => true): AsyncIterable<ScannedLine> {
  let handle: FileHandle;
  try {
    handle = await open(path, constants.O_RDONLY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return;
    throw storageError(path, error);
  }
  let number = 0;
  // Parts of a line whose end is not read yet: joined once, so a long line costs its length.
  let parts: string[] = [];
  for await (const chunk of handle.createReadStream({ encoding: 'utf8', highWaterMark: BLOCK_BYTES })) {
    parts.push(chunk as string);
    if (!(chunk as string).includes('\n')) continue;
    const lines = parts.join('').split('\n');
    parts = [lines.pop() ?? ''];
    for (const text of lines) {
      number += 1;
      if (text === '' || (number > 1 && !isWanted(text))) continue;
      const line = parseLine(text);
      if (number === 1) checkTranscriptVersion(line, path);
      yield line ? { number, line } : { number, damaged: text.slice(0, 200) };
    }
  }
  // Without its newline the last line is still being written, or torn: the next writer decides.
  const last = parseLine(parts.join(''));
  if (last) yield { number: number + 1, line: last };
}

function parseLine(text: string): TranscriptLine | undefined {
  return text === '' ? undefined : parseTranscriptLine(withoutSum(text));
}
