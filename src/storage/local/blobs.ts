// Files of conversations in the home: `outputs/<session>/<name>`, and uploads under `service/uploads`.
import { readdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { checkBlobName, inNameOrder } from '../blob-names.ts';
import { type Blobs, type StoredBlob, UPLOADS } from '../blobs.ts';
import { ensureDirectory, removeDurably, storageError, syncDirectory, writeAtomically } from '../private-files.ts';
import { filesIn } from './files-in.ts';

export function createLocalBlobs(home: string): Blobs {
  const outputs = join(home, 'outputs');
  const folderOf = (scope: string): string =>
    scope === UPLOADS ? join(home, 'service', 'uploads') : join(outputs, scope);
  function pathOf(scope: string, name: string): string {
    checkBlobName(scope, name);
    return join(folderOf(scope), name);
  }
  return {
    isShared: false,
    async put(scope, name, content) {
      const path = pathOf(scope, name);
      await ensureDirectory(dirname(path));
      await writeAtomically(path, content);
    },
    async get(scope, name) {
      const path = pathOf(scope, name);
      return readFile(path).catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT' || error.code === 'EISDIR' || error.code === 'ENOTDIR') return undefined;
        throw storageError(path, error);
      });
    },
    async list(scope) {
      checkBlobName(scope, 'any');
      const folder = folderOf(scope);
      const found: StoredBlob[] = [];
      for (const path of await filesIn(folder)) {
        const name = relative(folder, path);
        if (name.split('/').some((part) => part.startsWith('.'))) continue;
        const stats = await stat(path).catch(() => undefined);
        if (stats) found.push({ name, bytes: stats.size, storedAt: stats.mtimeMs, isOwn: true });
      }
      return inNameOrder(found);
    },
    async remove(scope, name) {
      if (name !== undefined) return removeDurably(pathOf(scope, name));
      checkBlobName(scope, 'any');
      const folder = folderOf(scope);
      try {
        await rm(folder, { recursive: true, force: true });
        if ((await readdir(dirname(folder)).catch(() => undefined)) !== undefined) await syncDirectory(dirname(folder));
      } catch (error) {
        throw storageError(folder, error);
      }
    },
    async redact(redaction, mode) {
      const found: string[] = [];
      for (const path of await filesIn(outputs)) {
        if (!redaction.holds(await readFile(path, 'utf8').catch(() => ''))) continue;
        found.push(path);
        if (mode === 'remove') await removeDurably(path);
      }
      return found.map((path) => ({ place: 'kept output', name: relative(outputs, path), count: 1 }));
    },
  };
}
