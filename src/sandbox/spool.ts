// Writes a whole output to disk. Writes happen one after another, each awaited by the reader that brought the chunk, so
// nothing piles up in memory. A failing disk does not fail the command: the file ends there and the reason is kept.
import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import type { Spool } from './sandbox.ts';

export interface SpoolFile {
  /** Never rejects. The bytes may be reused once it resolves. */
  write(bytes: Buffer): Promise<void>;
  /** Undefined when nothing was written. */
  close(): Promise<Spool | undefined>;
}

const NEW_FILE = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY | constants.O_NOFOLLOW;

export function createSpool(path: string): SpoolFile {
  let handle: FileHandle | undefined;
  let last: Promise<void> = Promise.resolve();
  let bytes = 0;
  let problem: string | undefined;
  let isUsed = false;

  async function append(chunk: Buffer): Promise<void> {
    if (problem !== undefined) return;
    try {
      handle ??= await openNew(path);
      for (let done = 0; done < chunk.length; ) {
        const { bytesWritten } = await handle.write(chunk, done, chunk.length - done);
        done += bytesWritten;
        bytes += bytesWritten;
      }
    } catch (error) {
      problem = `cannot write ${path}: ${(error as Error).message}`;
    }
  }

  return {
    write(chunk) {
      isUsed = true;
      last = last.then(() => append(chunk));
      return last;
    },

    async close() {
      await last;
      await handle?.close();
      return isUsed ? { path, bytes, problem } : undefined;
    },
  };
}

async function openNew(path: string): Promise<FileHandle> {
  const handle = await open(path, NEW_FILE, 0o600);
  await handle.chmod(0o600);
  return handle;
}
