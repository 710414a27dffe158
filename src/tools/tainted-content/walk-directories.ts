// The directories below a folder, to find packages and clones by name. A directory that has not changed is not read again.
import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { isSameMark, isSettled, type Mark } from '../../workspace/read-many.ts';
import { isTaintedFile } from '../permissions/tainted-files.ts';

/** So many are looked through. */
const MOST_DIRECTORIES = 5_000;

export interface WalkedDirectory {
  /** Relative to the root, '' for the root itself. */
  path: string;
  isEmpty: boolean;
  isRepository: boolean;
}

interface Listing extends Omit<WalkedDirectory, 'path'> {
  directories: string[];
  mark: Mark | undefined;
}

/** Nearest first; of installed packages and received files only the outermost. */
export type WalkDirectories = (folder: string, deepest: number) => Generator<WalkedDirectory>;

export function createDirectoryWalk(root: string, now: () => number): WalkDirectories {
  const known = new Map<string, Listing>();

  function list(path: string): Listing {
    const mark = markOf(join(root, path));
    const before = known.get(path);
    if (before && mark && isSameMark(before.mark, mark)) return before;
    const entries = entriesOf(join(root, path));
    const listing = {
      directories: entries.flatMap((entry) => (entry.isDirectory() && entry.name !== '.git' ? [entry.name] : [])),
      isEmpty: entries.length === 0,
      isRepository: entries.some(({ name }) => name === '.git'),
      mark: mark && isSettled(mark, now()) ? mark : undefined,
    };
    known.set(path, listing);
    return listing;
  }

  return function* walk(folder, deepest) {
    if (known.size > MOST_DIRECTORIES) known.clear();
    const queue: [path: string, depth: number][] = [[folder === '.' ? '' : folder, 0]];
    for (const [path, depth] of queue) {
      const { directories, isEmpty, isRepository } = list(path);
      yield { path, isEmpty, isRepository };
      if (depth >= deepest || queue.length > MOST_DIRECTORIES || isTaintedFile(`${path}/x`)) continue;
      for (const name of directories) queue.push([path === '' ? name : `${path}/${name}`, depth + 1]);
    }
  };
}

function markOf(directory: string): Mark | undefined {
  try {
    return lstatSync(directory, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
}

export function entriesOf(directory: string): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch {
    return [];
  }
}
