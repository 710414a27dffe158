// Empty directories that are used again and again as leases. A file system finds room for a new directory more slowly the more were
// removed within the last minute (ext4 does not use their places again so soon), and commands in a row need many: moving one is cheap.
import { mkdirSync, readdirSync, renameSync, rmdirSync } from 'node:fs';
import { rmdir } from 'node:fs/promises';

const MOST = 64;

export interface SpareDirectories {
  /** Makes a directory at a path that does not exist: moves a spare one there, where there is one. Fails like mkdir. */
  make(path: string): void;
  /** Removes an empty directory: keeps it as a spare one, where there is room. Leaves one that is not empty. Never rejects. */
  remove(path: string): Promise<void>;
  /** Removes the spare ones. Never rejects. */
  close(): Promise<void>;
}

export interface SpareDependencies {
  /** On the file system of the workspace, where directories can be moved between the two. */
  store: string;
  /** A name that the next process recognises when this one was killed. */
  newName(): string;
}

export function createSpareDirectories({ store, newName }: SpareDependencies): SpareDirectories {
  const spare: string[] = [];
  return {
    make(path) {
      const from = spare.pop();
      if (from !== undefined && hasMoved(from, path)) return;
      mkdirSync(path, { mode: 0o755 });
    },
    async remove(path) {
      if (spare.length >= MOST || !isEmpty(path)) return rmdir(path).catch(() => {});
      const to = `${store}/${newName()}`;
      try {
        renameSync(path, to);
        spare.push(to);
      } catch {
        await rmdir(path).catch(() => {});
      }
    },
    async close() {
      await Promise.all(spare.splice(0).map((path) => rmdir(path).catch(() => {})));
    },
  };
}

/** False where the spare directory is gone, or the path leads to another file system or to nothing: then making one tells. */
function hasMoved(from: string, to: string): boolean {
  try {
    renameSync(from, to);
    return true;
  } catch {
    removeIfThere(from);
    return false;
  }
}

function removeIfThere(path: string): void {
  try {
    rmdirSync(path);
  } catch {
    // Somebody else removed it.
  }
}

function isEmpty(path: string): boolean {
  try {
    return readdirSync(path).length === 0;
  } catch {
    return false;
  }
}
