// The inner format of a backup: lines of JSON, and the bytes of a file after the line that announces it.
//
//   {"lainclaw":"1.0.0","createdAt":"…"}
//   {"folder":"skills"}
//   {"file":"sessions/a.jsonl","size":120,"executable":false}   120 bytes   {"sha256":"…"}
//   {"end":{"files":1,"bytes":120}}
//
// There are files and folders, and nothing else: no links, no owners. A path is checked before anything is made of it.
import { createHash } from 'node:crypto';
import type { BackupOrigin } from '../../backups.ts';
import { pathProblem } from './home-contents.ts';
import { type ChunkWriter, damaged } from './sealed-chunks.ts';

const LONGEST_LINE = 16_384;

export interface FileEntry {
  file: string;
  size: number;
  executable: boolean;
}

export interface Totals {
  files: number;
  bytes: number;
}

export interface EntryWriter {
  folder(path: string): Promise<void>;
  /** `bytes` gives exactly as many as the entry says. */
  file(entry: FileEntry, bytes: AsyncIterable<Buffer>): Promise<void>;
  end(): Promise<Totals>;
}

export async function createEntryWriter({ write, end }: ChunkWriter, origin: BackupOrigin): Promise<EntryWriter> {
  const line = (value: object): Promise<void> => write(Buffer.from(`${JSON.stringify(value)}\n`));
  const totals: Totals = { files: 0, bytes: 0 };
  await line(origin);
  return {
    folder: (path) => line({ folder: path }),
    async file(entry, bytes) {
      await line(entry);
      const hash = createHash('sha256');
      let written = 0;
      for await (const piece of bytes) {
        hash.update(piece);
        written += piece.length;
        await write(piece);
      }
      if (written !== entry.size) throw new Error(`${entry.file} has ${written} bytes and not ${entry.size}`);
      await line({ sha256: hash.digest('hex') });
      totals.files += 1;
      totals.bytes += written;
    },
    async end() {
      await line({ end: totals });
      await end();
      return totals;
    },
  };
}

export interface FileSink {
  write(bytes: Buffer): Promise<void>;
  /** All bytes were given, and their digest is right. */
  end(): Promise<void>;
  /** Called instead of `end` when the backup turns out to be damaged. */
  discard(): Promise<void>;
}

export interface EntryVisitor {
  origin?(origin: BackupOrigin): void;
  folder?(path: string): Promise<void>;
  /** Undefined: the file is only checked. */
  file?(entry: FileEntry): Promise<FileSink | undefined>;
}

/** Reads to the end. Rejects with BACKUP_DAMAGED when anything is not as it was written: what was visited must then be thrown away. */
export async function readEntries(
  chunks: AsyncGenerator<Buffer>,
  path: string,
  visitor: EntryVisitor,
): Promise<BackupOrigin & Totals> {
  const cursor = createCursor(chunks, path);
  const origin = parseOrigin(await cursor.line(), path);
  visitor.origin?.(origin);
  const totals: Totals = { files: 0, bytes: 0 };
  for (;;) {
    const value = await cursor.line();
    if ('end' in value) {
      const { files, bytes } = (value.end ?? {}) as Partial<Totals>;
      if (files !== totals.files || bytes !== totals.bytes || !(await cursor.isAtEnd())) throw damaged(path);
      return { ...origin, ...totals };
    }
    if ('folder' in value) {
      await visitor.folder?.(checkedPath(value.folder, path));
      continue;
    }
    const entry = parseFile(value, path);
    await readFileEntry(cursor, entry, await visitor.file?.(entry), path);
    totals.files += 1;
    totals.bytes += entry.size;
  }
}

async function readFileEntry(
  cursor: Cursor,
  entry: FileEntry,
  sink: FileSink | undefined,
  path: string,
): Promise<void> {
  try {
    const hash = createHash('sha256');
    for await (const piece of cursor.take(entry.size)) {
      hash.update(piece);
      await sink?.write(piece);
    }
    const { sha256 } = await cursor.line();
    if (sha256 !== hash.digest('hex')) throw damaged(path, `${entry.file} is not what it was`);
  } catch (error) {
    await sink?.discard();
    throw error;
  }
  await sink?.end();
}

function parseOrigin({ lainclaw, createdAt }: Record<string, unknown>, path: string): BackupOrigin {
  if (typeof lainclaw !== 'string' || typeof createdAt !== 'string') throw damaged(path);
  return { lainclaw, createdAt };
}

function parseFile({ file, size, executable }: Record<string, unknown>, path: string): FileEntry {
  if (!Number.isSafeInteger(size) || Number(size) < 0 || typeof executable !== 'boolean') throw damaged(path);
  return { file: checkedPath(file, path), size: Number(size), executable };
}

function checkedPath(value: unknown, path: string): string {
  const problem = typeof value === 'string' ? pathProblem(value) : 'a path is missing';
  if (problem) throw damaged(path, problem);
  return value as string;
}

interface Cursor {
  line(): Promise<Record<string, unknown>>;
  take(length: number): AsyncGenerator<Buffer>;
  isAtEnd(): Promise<boolean>;
}

function createCursor(chunks: AsyncGenerator<Buffer>, path: string): Cursor {
  let current: Buffer = Buffer.alloc(0);

  /** False at the end. */
  async function fill(): Promise<boolean> {
    while (current.length === 0) {
      const { done, value } = await chunks.next();
      if (done) return false;
      current = value;
    }
    return true;
  }

  return {
    async line() {
      const parts: Buffer[] = [];
      let length = 0;
      for (;;) {
        if (!(await fill()) || length > LONGEST_LINE) throw damaged(path);
        const newline = current.indexOf(0x0a);
        const part = newline < 0 ? current : current.subarray(0, newline);
        parts.push(part);
        length += part.length;
        current = current.subarray(part.length + (newline < 0 ? 0 : 1));
        if (newline >= 0) return parseLine(Buffer.concat(parts).toString('utf8'), path);
      }
    },
    async *take(length) {
      for (let left = length; left > 0; ) {
        if (!(await fill())) throw damaged(path);
        const piece = current.subarray(0, left);
        current = current.subarray(piece.length);
        left -= piece.length;
        yield piece;
      }
    },
    isAtEnd: async () => !(await fill()),
  };
}

function parseLine(text: string, path: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {
    // Reported below.
  }
  throw damaged(path);
}
