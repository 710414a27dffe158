import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Fence } from '../locks.ts';
import { ensureDirectory, removeDurably, storageError, writeAtomically } from '../private-files.ts';
import type { SessionNotes } from '../storage.ts';

export function createSessionNotes(directory: string, verify: (fence: Fence | undefined) => void): SessionNotes {
  const path = (sessionKey: string): string => join(directory, `${sessionKey}.md`);
  return {
    path,
    async read(sessionKey) {
      try {
        return await readFile(path(sessionKey), 'utf8');
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw storageError(path(sessionKey), error);
      }
    },
    async remove(sessionKey, fence) {
      verify(fence);
      await removeDurably(path(sessionKey));
    },
    async write(sessionKey, text, fence) {
      await ensureDirectory(directory);
      verify(fence);
      await writeAtomically(path(sessionKey), text);
    },
  };
}
