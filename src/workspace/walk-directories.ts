// One walk of a workspace for all who look at it around a command. It finds every directory that git would take for a repository: `.git`
// directories, and directories that look like a bare one (a HEAD with objects and refs, or with a commondir that leads to them). And it
// lists the regular files that undo keeps. It enters everything, caches and packages too, because git enters whatever an index names. A
// directory that has not changed is not read again. It follows no link.
import type { Stats } from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';
import { toSystem, toText } from './byte-path.ts';
import { directoryAt, entriesAt } from './look-at.ts';
import { isSameMark, isSettled, type Mark } from './read-many.ts';
import { makeListable } from './repositories/in-directory.ts';

/** Directories between which other work runs. */
const BATCH = 250;
/** A directory that a sandbox keeps in the place of a protected path. Its name alone tells nothing: a command can use it too. */
const LEASE = /^\.lainclaw-\d+-\d+-/;
/** So many are remembered for the next walk. */
const MOST_KNOWN = 50_000;

export interface WalkedWorkspace {
  /** Byte paths relative to the root, '' for the root. */
  repositories: string[];
  /** `.git` entries that are not directories: files and links that lead git elsewhere. */
  links: string[];
  /** Paths of regular files as text. Undefined where they are not asked for, are too many, or there is no root. */
  files: string[] | undefined;
}

export interface WalkOptions {
  signal: AbortSignal;
  now(): number;
  /** True for the absolute path of a directory that no command can write now: what is in it is not looked at. */
  isOwn?(path: string): boolean;
}

/** Which files a walk lists. */
export interface ListedFiles {
  /** Names of directories: files at any depth of them are not listed. */
  notBelow: ReadonlySet<string>;
  /** Of files, and of directories that have them. */
  most: number;
}

export interface WalkerOptions {
  files?: ListedFiles;
  /** Directories that are not listed are not entered either: for those who look at the files alone. */
  onlyListed?: boolean;
}

export type WalkDirectories = (root: string, options: WalkOptions) => Promise<WalkedWorkspace>;

/** What matters of a directory. */
interface Listing {
  directories: string[];
  links: string[];
  /** As text; undefined where they were not asked for. */
  files: string[] | undefined;
  looksBare: boolean;
  /** Nothing but leases: git finds nothing in it, and it is removed soon. */
  isPlaceholder: boolean;
  mark?: Mark;
}

export function createDirectoryWalker({ files: listed, onlyListed = false }: WalkerOptions = {}): WalkDirectories {
  const most = listed?.most ?? 0;
  let known = new Map<string, Listing>();
  let knownRoot: string | undefined;

  return async (root, { signal, now, isOwn = () => false }) => {
    if (knownRoot !== root) known = new Map();
    knownRoot = root;
    const seen = new Map<string, Listing>();
    const [repositories, links]: [string[], string[]] = [[], []];
    let files: string[] | undefined = listed && [];
    // Byte paths. Those whose files are listed come first.
    const withFiles = listed ? [''] : [];
    const others = listed ? [] : [''];
    let count = 0;
    for (const queue of [withFiles, others]) {
      for (const path of queue) {
        count += 1;
        if (count % BATCH === 0) await nextRound(undefined, { signal });
        const isListed = queue === withFiles && files !== undefined;
        const listing = list({ root, path, before: known.get(path), isListed, most, now });
        if (!listing && path === '') files = undefined;
        if (!listing) continue;
        if (seen.size < MOST_KNOWN) seen.set(path, listing);
        const isNamedGit = isGit(path.slice(path.lastIndexOf('/') + 1)) && !listing.isPlaceholder;
        if (listing.looksBare || isNamedGit) repositories.push(path);
        const prefix = path === '' ? '' : `${path}/`;
        for (const name of listing.links) links.push(prefix + name);
        for (const name of listing.directories) {
          if (LEASE.test(name) && isOwn(`${root}/${toText(prefix + name)}`)) continue;
          const next = queue === withFiles && !listed?.notBelow.has(name) ? withFiles : others;
          if (next === withFiles || !onlyListed) next.push(prefix + name);
        }
        if (!files || !isListed) continue;
        const directory = toText(prefix);
        for (const name of listing.files ?? []) files.push(directory + name);
        if (Math.max(files.length, withFiles.length) > most) files = undefined;
      }
    }
    known = seen;
    return { repositories, links, files };
  };
}

/** Some file systems do not tell upper from lower case. */
function isGit(name: string): boolean {
  return name.toLowerCase() === '.git';
}

interface ToList {
  root: string;
  path: string;
  before: Listing | undefined;
  /** Whether its files are asked for, and how many names of them are kept. */
  isListed: boolean;
  most: number;
  now(): number;
}

function list({ root, path, before, isListed, most, now }: ToList): Listing | undefined {
  const address = toSystem(`${Buffer.from(root).toString('latin1')}/${path}`);
  const stats = directoryAt(address);
  if (!stats) return undefined;
  if (before?.mark && isSameMark(before.mark, stats) && (before.files || !isListed)) return before;
  const entries = entriesAt(address) ?? (makeListable(root, path, stats) ? entriesAt(address) : undefined);
  if (!entries) return undefined;
  const names = new Set(entries.map(({ name }) => name.toLowerCase()));
  // One more than the most tells that there are too many.
  const files = isListed ? entries.filter((entry) => entry.isFile()).slice(0, most + 1) : undefined;
  return {
    directories: entries.filter((entry) => entry.isDirectory()).map(({ name }) => name),
    links: entries.filter((entry) => isGit(entry.name) && !entry.isDirectory()).map(({ name }) => name),
    files: files?.map(({ name }) => toText(name)),
    isPlaceholder: entries.length > 0 && entries.every((entry) => entry.isDirectory() && LEASE.test(entry.name)),
    looksBare: names.has('head') && ((names.has('objects') && names.has('refs')) || names.has('commondir')),
    ...(isSettled(stats, now()) && { mark: markOnly(stats) }),
  };
}

function markOnly({ ino, size, mode, mtimeMs, ctimeMs }: Stats): Mark {
  return { ino, size, mode, mtimeMs, ctimeMs };
}
