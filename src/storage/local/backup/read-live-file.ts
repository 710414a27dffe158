// Reads a file that others may be writing: of a file of lines the whole lines that are there now, of every other one a state that
// did not change while it was read.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { BackupError } from '../../backups.ts';

const BLOCK_BYTES = 65_536;
/** Larger ones are not kept in memory: their first bytes are taken as they come. */
const MOST_IN_MEMORY = 8 * 1024 * 1024;
const MOST_ATTEMPTS = 20;
const BETWEEN_ATTEMPTS_MS = 5;

export interface LiveFile {
  size: number;
  executable: boolean;
  bytes: AsyncIterable<Buffer>;
}

/** Undefined when the file has gone, or is not a file any more. The bytes must be read before `use` resolves. */
export async function readLiveFile<T>(path: string, use: (file: LiveFile) => Promise<T>): Promise<T | undefined> {
  const handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT' || error.code === 'ELOOP' || error.code === 'ENXIO') return undefined;
      throw error;
    },
  );
  if (!handle) return undefined;
  try {
    const found = await handle.stat();
    if (!found.isFile()) return undefined;
    const executable = (found.mode & 0o100) !== 0;
    if (path.endsWith('.jsonl')) {
      const size = await endOfLastLine(handle, found.size);
      return await use({ size, executable, bytes: firstBytes(handle, size, path) });
    }
    if (found.size > MOST_IN_MEMORY)
      return await use({ size: found.size, executable, bytes: firstBytes(handle, found.size, path) });
    const bytes = await readUnchanged(handle, path);
    return await use({ size: bytes.length, executable, bytes: piecesOf(bytes) });
  } finally {
    await handle.close();
  }
}

async function readUnchanged(handle: FileHandle, path: string): Promise<Buffer> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    const before = await handle.stat({ bigint: true });
    const bytes = Buffer.alloc(Number(before.size));
    const { bytesRead } = await handle.read(bytes, 0, bytes.length, 0);
    const after = await handle.stat({ bigint: true });
    if (bytesRead === bytes.length && after.size === before.size && after.mtimeNs === before.mtimeNs) return bytes;
    await sleep(BETWEEN_ATTEMPTS_MS);
  }
  throw changed(path);
}

async function* piecesOf(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function* firstBytes(handle: FileHandle, size: number, path: string): AsyncGenerator<Buffer> {
  for (let at = 0; at < size; ) {
    const block = Buffer.allocUnsafe(Math.min(BLOCK_BYTES, size - at));
    const { bytesRead } = await handle.read(block, 0, block.length, at);
    if (bytesRead === 0) throw changed(path);
    at += bytesRead;
    yield block.subarray(0, bytesRead);
  }
}

async function endOfLastLine(handle: FileHandle, size: number): Promise<number> {
  for (let end = size; end > 0; ) {
    const block = Buffer.alloc(Math.min(BLOCK_BYTES, end));
    const { bytesRead } = await handle.read(block, 0, block.length, end - block.length);
    const newline = block.subarray(0, bytesRead).lastIndexOf(0x0a);
    if (newline >= 0) return end - block.length + newline + 1;
    end -= block.length;
  }
  return 0;
}

function changed(path: string): BackupError {
  return new BackupError('BACKUP_FAILED', `${path} kept changing while it was read: try again`);
}
