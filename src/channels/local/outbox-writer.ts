// Appends lines to a file and makes them durable; lines that are asked for at the same moment share one sync. A line cut
// short by a kill was never confirmed, so it is removed. The keys of the lines that are there are known, as far back as matters.
import { constants } from 'node:fs';
import { type FileHandle, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { ensureDirectory, openPrivate } from '../../storage/private-files.ts';

/** A message is sent again soon or never: older keys need not be known. */
const KNOWN_BYTES = 16 * 1024 * 1024;
const CHUNK_BYTES = 1024 * 1024;
const NEWLINE = 0x0a;

export interface OutboxWriter {
  /** Resolves once the line is durable. With a key, only if no line had it before. */
  append(line: object, key?: string): Promise<void>;
  close(): Promise<void>;
}

export function createOutboxWriter(path: string): OutboxWriter {
  let handle: FileHandle | undefined;
  const known = new Map<string, Promise<void>>();
  let waiting: string[] = [];
  let flushing: Promise<void> = Promise.resolve();
  let scheduled: Promise<void> | undefined;

  async function opened(): Promise<FileHandle> {
    if (handle && (await isAt(path, handle))) return handle;
    await handle?.close();
    handle = undefined;
    await ensureDirectory(dirname(path));
    const fresh = await openPrivate(path, constants.O_CREAT | constants.O_RDWR | constants.O_APPEND);
    try {
      await repairTail(fresh, (key) => known.has(key) || known.set(key, Promise.resolve()));
    } catch (error) {
      await fresh.close();
      throw error;
    }
    handle = fresh;
    return fresh;
  }

  async function flush(): Promise<void> {
    scheduled = undefined;
    const lines = waiting;
    waiting = [];
    const file = await opened();
    await file.appendFile(lines.join(''));
    await file.datasync();
  }

  function write(line: object): Promise<void> {
    waiting.push(`${JSON.stringify(line)}\n`);
    if (!scheduled) {
      scheduled = flushing.then(flush);
      flushing = scheduled.catch(() => {});
    }
    return scheduled;
  }

  let prepared: Promise<unknown> | undefined;
  return {
    async append(line, key) {
      if (key === undefined) return write(line);
      // What the file holds must be known before a key can be called new.
      prepared ??= opened();
      await prepared.catch((error: unknown) => {
        prepared = undefined;
        throw error;
      });
      const before = known.get(key);
      if (before) return before;
      const written = write(line);
      known.set(key, written);
      written.catch(() => known.delete(key));
      return written;
    },
    async close() {
      await flushing;
      await handle?.close();
      handle = undefined;
      prepared = undefined;
    },
  };
}

async function isAt(path: string, handle: FileHandle): Promise<boolean> {
  const [there, here] = await Promise.all([stat(path).catch(() => undefined), handle.stat()]);
  return there !== undefined && there.ino === here.ino && there.dev === here.dev;
}

/** Cuts off an unfinished last line and tells the keys of the newest lines. */
async function repairTail(handle: FileHandle, tell: (key: string) => void): Promise<void> {
  const { size } = await handle.stat();
  let rest = '';
  let end = 0;
  const from = Math.max(0, size - KNOWN_BYTES);
  for (let at = from; at < size; ) {
    const buffer = Buffer.allocUnsafe(Math.min(CHUNK_BYTES, size - at));
    const { bytesRead } = await handle.read(buffer, 0, buffer.length, at);
    if (bytesRead === 0) break;
    const read = buffer.subarray(0, bytesRead);
    const last = read.lastIndexOf(NEWLINE);
    if (last >= 0) end = at + last + 1;
    // Keys are plain text: a character cut in two elsewhere in the line does no harm.
    const lines = (rest + read.toString('utf8')).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      const key = keyOf(line);
      if (key !== undefined) tell(key);
    }
    at += bytesRead;
  }
  if (end < size && (end > 0 || from === 0)) await handle.truncate(end);
}

function keyOf(line: string): string | undefined {
  try {
    const { key } = JSON.parse(line) as { key?: unknown };
    return typeof key === 'string' ? key : undefined;
  } catch {
    return undefined;
  }
}
