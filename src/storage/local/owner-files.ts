import { readFile, unlink } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Locks } from '../locks.ts';
import { ensureDirectory, storageError, syncDirectory, writeAtomically } from '../private-files.ts';
import type { OwnerFiles } from '../storage.ts';

export function createOwnerFiles(home: string, locks: Locks): OwnerFiles {
  async function read(name: string): Promise<string | undefined> {
    const path = join(home, name);
    try {
      return await readFile(path, 'utf8');
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
      throw storageError(path, error);
    }
  }
  return {
    read,
    async update(name, change) {
      const path = join(home, name);
      await ensureDirectory(dirname(path));
      const lock = await locks.acquire(`file:${name}`);
      try {
        const current = await read(name);
        const text = change(current);
        if (text === null && current !== undefined) await remove(path);
        if (typeof text === 'string') await writeAtomically(path, text);
      } finally {
        await lock.release();
      }
    },
  };
}

async function remove(path: string): Promise<void> {
  try {
    await unlink(path);
    await syncDirectory(dirname(path));
  } catch (error) {
    throw storageError(path, error);
  }
}
