import { readdir, readFile, rm } from 'node:fs/promises';
import { basename, dirname, join, relative } from 'node:path';
import { newId } from '../../lib/new-id.ts';
import { ensureDirectory, removeDurably, storageError, syncDirectory, writeAtomically } from '../private-files.ts';
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
    async redact(redaction, mode) {
      const found: string[] = [];
      for (const entry of await filesIn(root)) {
        if (!redaction.holds(await readFile(entry, 'utf8').catch(() => ''))) continue;
        found.push(entry);
        if (mode === 'remove') await removeDurably(entry);
      }
      return found.map((path) => ({ place: 'kept output', name: relative(root, path), count: 1 }));
    },
    async keep(scope, name, text) {
      const path = await place(scope, name);
      await writeAtomically(path, text);
      return path;
    },
  };
}

async function filesIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true, recursive: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw storageError(directory, error);
    },
  );
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
