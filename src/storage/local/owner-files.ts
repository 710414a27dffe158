import { closeSync, constants, fchmodSync, fstatSync, openSync, readFileSync, statSync } from 'node:fs';
import { access, readdir, rename, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { newerVersionIn } from '../../lib/newer-version.ts';
import { ensureDirectory, openPrivate, storageError, syncDirectory, writeAtomically } from '../private-files.ts';
import { newerVersion, type OwnerFiles } from '../storage.ts';
import type { LocalLocks } from './locks.ts';

/** Of every JSON file that has one; files without are of the first. */
const VERSION = 1;

export function createOwnerFiles(home: string, locks: LocalLocks): OwnerFiles {
  const location = (name: string): string => join(home, name);

  async function read(name: string): Promise<string | undefined> {
    let text: string;
    try {
      // Most of these files do not exist, and each turn asks for some of them.
      if (!statSync(location(name), { throwIfNoEntry: false })) return undefined;
      text = readPrivately(location(name));
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw storageError(location(name), error);
    }
    const newer = name.endsWith('.json') ? newerVersionIn(text, VERSION) : undefined;
    if (newer !== undefined) throw newerVersion(location(name), newer, VERSION);
    return text;
  }

  /** One writer of a name at a time. */
  async function write(name: string, work: (path: string) => Promise<void>): Promise<void> {
    const path = location(name);
    await ensureDirectory(dirname(path));
    const lock = await locks.acquire(`file:${name}`);
    try {
      await work(path);
    } catch (error) {
      throw isSystemError(error) ? storageError(path, error) : error;
    } finally {
      await lock.release();
    }
  }

  return {
    read,
    location,
    async list() {
      const entries = await readdir(home, { withFileTypes: true }).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return [];
        throw storageError(home, error);
      });
      return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
    },
    update: (name, change, fence) =>
      write(name, async (path) => {
        const current = await read(name);
        const text = change(current);
        locks.verify(fence);
        if (text === null && current !== undefined) await remove(path);
        if (typeof text === 'string') await writeAtomically(path, text);
      }),
    append: (name, line, fence) =>
      write(name, async (path) => {
        locks.verify(fence);
        const handle = await openPrivate(path, constants.O_CREAT | constants.O_APPEND | constants.O_WRONLY);
        try {
          await handle.writeFile(`${line}\n`);
          await handle.sync();
        } finally {
          await handle.close();
        }
      }),
    rename: (name, to) =>
      write(name, async (path) => {
        await refuseTaken(location(to));
        await rename(path, location(to));
        await syncDirectory(dirname(path));
      }),
  };
}

/** A file that was copied or restored may be open to others: it is made private. Synchronous: each turn reads some, all are small. */
function readPrivately(path: string): string {
  const file = openSync(path, constants.O_RDONLY);
  try {
    const stats = fstatSync(file);
    if (stats.isFile() && (stats.mode & 0o077) !== 0) makePrivate(file);
    return readFileSync(file, 'utf8');
  } finally {
    closeSync(file);
  }
}

function makePrivate(file: number): void {
  try {
    fchmodSync(file, 0o600);
  } catch {
    // It belongs to somebody else.
  }
}

async function remove(path: string): Promise<void> {
  await unlink(path);
  await syncDirectory(dirname(path));
}

async function refuseTaken(path: string): Promise<void> {
  const isTaken = await access(path).then(
    () => true,
    () => false,
  );
  if (isTaken) throw storageError(path, new Error('there is such a file already'));
}

function isSystemError(error: unknown): boolean {
  return typeof (error as NodeJS.ErrnoException)?.syscall === 'string';
}
