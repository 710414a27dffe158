import { constants } from 'node:fs';
import { lstat, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { SkillError } from '../skill-error.ts';
import { MAX_ENTRIES, safePath, type Tree, type TreeEntry, tooManyEntries } from './tree.ts';

/** Reads a folder on this machine. Never follows links, never enters skipped folders. */
export async function readFolderTree(
  root: string,
  { skip = [], signal }: { skip?: readonly string[]; signal?: AbortSignal } = {},
): Promise<Tree> {
  const entries: TreeEntry[] = [];
  await visit('');
  return {
    entries,
    read: (wanted) => Promise.all(wanted.map((entry) => readFile(root, entry))),
  };

  async function visit(folder: string): Promise<void> {
    const names = (await readdir(join(root, folder))).sort();
    for (const name of names) {
      signal?.throwIfAborted();
      const path = safePath(folder === '' ? name : `${folder}/${name}`);
      const stats = await lstat(join(root, path));
      if (stats.isDirectory()) {
        if (!skip.includes(name)) await visit(path);
        continue;
      }
      if (entries.length >= MAX_ENTRIES) throw tooManyEntries();
      const kind = stats.isFile() ? 'file' : stats.isSymbolicLink() ? 'link' : 'other';
      entries.push({ path, kind, size: kind === 'file' ? stats.size : 0, executable: (stats.mode & 0o100) !== 0 });
    }
  }
}

async function readFile(root: string, { path, size }: TreeEntry): Promise<Buffer> {
  const { O_RDONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  const handle = await open(join(root, path), O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
  try {
    const stats = await handle.stat();
    const bytes = stats.isFile() && stats.size === size ? await handle.readFile() : undefined;
    if (bytes?.length !== size)
      throw new SkillError('SKILL_SOURCE', `${path} changed while it was being read: try again`);
    return bytes;
  } finally {
    await handle.close();
  }
}
