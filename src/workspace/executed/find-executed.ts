// Finds the files and links of a workspace that other programs run or follow: which ones, the caller says by path. Installed packages,
// caches and git's own directories are not entered. A directory that has not changed is not read again. It follows no link.
import type { Dirent } from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';
import { toSystem, toText } from '../byte-path.ts';
import { directoryAt, entriesAt } from '../look-at.ts';
import { isSameMark, isSettled, type Mark } from '../read-many.ts';
import { makeListable } from '../repositories/in-directory.ts';

/** Directories between which other work runs. */
const BATCH = 250;
const NOT_ENTERED = new Set(
  '.git node_modules bower_components site-packages .venv venv __pycache__ .cache .tox'.split(' '),
);

/** Why other programs run or follow what is at this path, relative to the root; undefined when they do not. */
export type ExecutedReason = (path: string, kind: 'file' | 'link') => string | undefined;

interface Listing {
  directories: string[];
  /** Names of what counts. */
  executed: string[];
  mark?: Mark;
}

/** Byte paths relative to the root. */
export type FindExecuted = (root: string, options: { signal: AbortSignal; now(): number }) => Promise<string[]>;

export function createExecutedFinder(reasonFor: ExecutedReason): FindExecuted {
  let known = new Map<string, Listing>();
  let knownRoot: string | undefined;

  function list(root: string, path: string, now: () => number): Listing | undefined {
    const address = toSystem(`${Buffer.from(root).toString('latin1')}/${path}`);
    const stats = directoryAt(address);
    if (!stats) return undefined;
    const before = known.get(path);
    if (before?.mark && isSameMark(before.mark, stats)) return before;
    const entries = entriesAt(address) ?? (makeListable(root, path, stats) ? entriesAt(address) : undefined);
    if (!entries) return undefined;
    const counts = (entry: Dirent): boolean => {
      const kind = entry.isSymbolicLink() ? 'link' : 'file';
      return !entry.isDirectory() && reasonFor(toText(below(path, entry.name)), kind) !== undefined;
    };
    return {
      directories: entries.flatMap((each) => (each.isDirectory() && !NOT_ENTERED.has(each.name) ? [each.name] : [])),
      executed: entries.filter(counts).map(({ name }) => name),
      ...(isSettled(stats, now()) && { mark: stats }),
    };
  }

  return async (root, { signal, now }) => {
    if (knownRoot !== root) known = new Map();
    knownRoot = root;
    const seen = new Map<string, Listing>();
    const found: string[] = [];
    const directories = [''];
    let count = 0;
    for (const path of directories) {
      count += 1;
      if (count % BATCH === 0) await nextRound(undefined, { signal });
      const listing = list(root, path, now);
      if (!listing) continue;
      seen.set(path, listing);
      for (const name of listing.executed) found.push(below(path, name));
      for (const name of listing.directories) directories.push(below(path, name));
    }
    known = seen;
    return found;
  };
}

function below(path: string, name: string): string {
  return path === '' ? name : `${path}/${name}`;
}
