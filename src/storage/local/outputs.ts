import { rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { newId } from '../../lib/new-id.ts';
import { ensureDirectory, storageError, syncDirectory, writeAtomically } from '../private-files.ts';
import type { Outputs } from '../storage.ts';

const LONGEST_NAME = 80;

export function createOutputs(root: string): Outputs {
  async function place(scope: string, name: string): Promise<string> {
    const directory = join(root, scope);
    await ensureDirectory(directory);
    // The name comes from a model: it may not choose the path, and small servers give every call the same one.
    return join(directory, `${newId(name.replace(/[^\w.-]/g, '_').slice(0, LONGEST_NAME))}.txt`);
  }
  return {
    place,
    async remove(scope, name) {
      const directory = join(root, scope);
      const path = name === undefined ? directory : join(directory, basename(name));
      // The name may come from a transcript, where anybody can have written `..`.
      if (name !== undefined && dirname(path) !== directory) return;
      try {
        await rm(path, { recursive: true, force: true });
        await syncDirectory(name === undefined ? root : directory).catch((error: NodeJS.ErrnoException) => {
          if (error.code !== 'ENOENT') throw error;
        });
      } catch (error) {
        throw storageError(directory, error);
      }
    },
    async keep(scope, name, text) {
      const path = await place(scope, name);
      await writeAtomically(path, text);
      return path;
    },
  };
}
