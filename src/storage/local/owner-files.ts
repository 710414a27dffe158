import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locks, OwnerFiles } from '../storage.ts';
import { ensureDirectory, storageError, writeAtomically } from './files.ts';

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
      await ensureDirectory(home);
      const lock = await locks.acquire(`file:${name}`);
      try {
        const text = change(await read(name));
        if (text !== undefined) await writeAtomically(join(home, name), text);
      } finally {
        lock.release();
      }
    },
  };
}
