import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { storageError } from '../private-files.ts';

/** The absolute paths of all files below the folder; none when there is no folder. */
export async function filesIn(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true, recursive: true }).catch(
    (error: NodeJS.ErrnoException) => {
      if (error.code === 'ENOENT') return [];
      throw storageError(folder, error);
    },
  );
  return entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
}
