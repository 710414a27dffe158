import { constants, type FileHandle, open } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { newId } from '../../lib/new-id.ts';
import type { Blobs } from '../blobs.ts';
import { keptPath } from '../kept-path.ts';
import { ensureDirectory, storageError, writeAtomically } from '../private-files.ts';
import type { Outputs } from '../storage.ts';

const LONGEST_NAME = 80;

/** `root`: the folder in which `blobs` keeps the files of sessions. */
export function createOutputs(root: string, blobs: Pick<Blobs, 'remove' | 'redact'>): Outputs {
  async function place(scope: string, name: string): Promise<string> {
    const directory = join(root, scope);
    await ensureDirectory(directory);
    // The name comes from a model: it may not choose the path, and small servers give every call the same one.
    return join(directory, `${newId(name.replace(/[^\w.-]/g, '_').slice(0, LONGEST_NAME))}.txt`);
  }
  return {
    place,
    async remove(scope, name) {
      // The name may come from a transcript, where anybody can have written `..`.
      const path = name === undefined ? undefined : join(root, scope, basename(name));
      if (path !== undefined && dirname(path) !== join(root, scope)) return;
      await blobs.remove(scope, path && basename(path));
    },
    redact: blobs.redact,
    async keep(scope, name, text) {
      const path = await place(scope, name);
      await writeAtomically(path, text);
      return path;
    },
    async share() {},
    async open(path, scope) {
      const kept = keptPath(path);
      if (!kept || (scope !== undefined && kept.scope !== scope)) return undefined;
      return openFile(join(root, kept.scope, kept.name));
    },
  };
}

async function openFile(path: string): Promise<FileHandle | undefined> {
  let handle: FileHandle | undefined;
  try {
    handle = await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    if ((await handle.stat()).isFile()) return handle;
    await handle.close();
    return undefined;
  } catch (error) {
    await handle?.close();
    if (['ENOENT', 'ENOTDIR', 'ELOOP'].includes((error as NodeJS.ErrnoException).code ?? '')) return undefined;
    throw storageError(path, error);
  }
}
