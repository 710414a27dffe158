// Finds every directory of a workspace that git would take for a repository: `.git` directories, and directories that look like a
// bare one (a HEAD with objects and refs, or with a commondir that leads to them). Walks everything, caches and packages too,
// because git enters whatever an index names. A directory that has not changed is not read again. It follows no link.
import type { Stats } from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';
import { toSystem, toText } from '../byte-path.ts';
import { directoryAt, entriesAt } from '../look-at.ts';
import { isSameMark, isSettled, type Mark } from '../read-many.ts';
import { makeListable } from './in-directory.ts';

/** Directories between which other work runs. */
const BATCH = 250;
/** A directory that a sandbox keeps in the place of a protected path. Its name alone tells nothing: a command can use it too. */
const LEASE = /^\.lainclaw-\d+-\d+-/;
/** So many are remembered for the next walk. */
const MOST_KNOWN = 50_000;

export interface GitPlaces {
  /** Byte paths relative to the root, '' for the root. */
  repositories: string[];
  /** `.git` entries that are not directories: files and links that lead git elsewhere. */
  links: string[];
}

/** What matters of a directory. */
interface Listing {
  directories: string[];
  links: string[];
  looksBare: boolean;
  /** Nothing but leases: git finds nothing in it, and it is removed soon. */
  isPlaceholder: boolean;
  mark?: Mark;
}

export interface FindOptions {
  signal: AbortSignal;
  now(): number;
  /** True for the absolute path of a directory that no command can write now: what is in it is not looked at. */
  isOwn?(path: string): boolean;
}

export type FindRepositories = (root: string, options: FindOptions) => Promise<GitPlaces>;

export function createRepositoryFinder(): FindRepositories {
  let known = new Map<string, Listing>();
  let knownRoot: string | undefined;

  return async (root, { signal, now, isOwn = () => false }) => {
    if (knownRoot !== root) known = new Map();
    knownRoot = root;
    const seen = new Map<string, Listing>();
    const places: GitPlaces = { repositories: [], links: [] };
    const directories = [''];
    let count = 0;
    for (const path of directories) {
      count += 1;
      if (count % BATCH === 0) await nextRound(undefined, { signal });
      const listing = list(root, path, known.get(path), now);
      if (!listing) continue;
      if (seen.size < MOST_KNOWN) seen.set(path, listing);
      const isNamedGit = isGit(path.slice(path.lastIndexOf('/') + 1)) && !listing.isPlaceholder;
      if (listing.looksBare || isNamedGit) places.repositories.push(path);
      const prefix = path === '' ? '' : `${path}/`;
      for (const name of listing.links) places.links.push(prefix + name);
      for (const name of listing.directories)
        if (!LEASE.test(name) || !isOwn(`${root}/${toText(prefix + name)}`)) directories.push(prefix + name);
    }
    known = seen;
    return places;
  };
}

/** Some file systems do not tell upper from lower case. */
function isGit(name: string): boolean {
  return name.toLowerCase() === '.git';
}

function list(root: string, path: string, before: Listing | undefined, now: () => number): Listing | undefined {
  const address = toSystem(`${Buffer.from(root).toString('latin1')}/${path}`);
  const stats = directoryAt(address);
  if (!stats) return undefined;
  if (before?.mark && isSameMark(before.mark, stats)) return before;
  const entries = entriesAt(address) ?? (makeListable(root, path, stats) ? entriesAt(address) : undefined);
  if (!entries) return undefined;
  const names = new Set(entries.map(({ name }) => name.toLowerCase()));
  return {
    directories: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    links: entries.filter((entry) => isGit(entry.name) && !entry.isDirectory()).map(({ name }) => name),
    isPlaceholder: entries.length > 0 && entries.every((entry) => entry.isDirectory() && LEASE.test(entry.name)),
    looksBare: names.has('head') && ((names.has('objects') && names.has('refs')) || names.has('commondir')),
    ...(isSettled(stats, now()) && { mark: markOnly(stats) }),
  };
}

function markOnly({ ino, size, mode, mtimeMs, ctimeMs }: Stats): Mark {
  return { ino, size, mode, mtimeMs, ctimeMs };
}
