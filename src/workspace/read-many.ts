// Reads many small files, to compare a workspace before and after. A walk for each would take ten times as long: here a file
// is opened by its plain path, and before a byte is read the open file must prove to be that path. Blocks while it reads one
// regular file, never on anything else.
import {
  closeSync,
  constants,
  type Dir,
  fstatSync,
  lstatSync,
  opendirSync,
  openSync,
  readlinkSync,
  readSync,
  type Stats,
} from 'node:fs';
import { setImmediate as nextRound } from 'node:timers/promises';

/** Files per batch; other work runs between batches. */
const BATCH = 250;

/** Changes whenever the identity, size, mode or times of a file or directory do. */
export type Mark = Pick<Stats, 'ino' | 'size' | 'mode' | 'mtimeMs' | 'ctimeMs'>;

export function isSameMark(one: Mark | undefined, other: Mark | undefined): boolean {
  if (!one || !other) return one === other;
  return (
    one.ino === other.ino &&
    one.ctimeMs === other.ctimeMs &&
    one.mtimeMs === other.mtimeMs &&
    one.size === other.size &&
    one.mode === other.mode
  );
}

/** A file system's clock ticks every few milliseconds: within this time two changes may leave the same mark. */
const SETTLED_MS = 100;

/** True when a change after this moment leaves another mark. */
export function isSettled({ ctimeMs }: Mark, now: number): boolean {
  return now - ctimeMs > SETTLED_MS;
}

export interface SmallFile {
  bytes: Buffer;
  /** Permission bits. */
  mode: number;
  mark: Mark;
}

/** What was in a directory when it was read. */
export interface Listing {
  files: string[];
  directories: string[];
  /** Present when it tells whether the directory is still the same. */
  mark?: Mark;
}

export interface ListOptions {
  /** Names that are left out with all below them. */
  skip: ReadonlySet<string>;
  most: number;
  signal: AbortSignal;
  now(): number;
  /** By path. A directory that has not changed is not read again. Brought up to date. */
  known: Map<string, Listing>;
  /** True for the absolute path of a directory that no command can write now: it is left out. */
  isOwn?(path: string): boolean;
}

/** Regular files below `root`, relative to it; no link is followed. Undefined when there are more than `most`, or no root. */
export async function listMany(root: string, options: ListOptions): Promise<string[] | undefined> {
  const { most, signal, known, isOwn = () => false } = options;
  const files: string[] = [];
  const directories = [''];
  let seen = 0;
  for (const below of directories) {
    const listing = listOne(root, below, options);
    if (!listing && below === '') return undefined;
    if (!listing) continue;
    known.set(below, listing);
    for (const name of listing.files) files.push(below + name);
    for (const name of listing.directories) if (!isOwn(`${root}/${below}${name}`)) directories.push(`${below}${name}/`);
    if (files.length > most || directories.length > most) return undefined;
    const before = seen;
    seen += listing.files.length + listing.directories.length;
    if (Math.floor(seen / BATCH) > Math.floor(before / BATCH)) await nextRound(undefined, { signal });
  }
  forgetOthers(known, directories);
  return files;
}

/** Directories that are gone. */
function forgetOthers(known: Map<string, Listing>, directories: readonly string[]): void {
  if (known.size <= directories.length) return;
  const there = new Set(directories);
  for (const path of known.keys()) if (!there.has(path)) known.delete(path);
}

/** Undefined when the directory cannot be read: then it has nothing to compare. Stops reading beyond `most`. */
function listOne(root: string, below: string, { skip, most, now, known }: ListOptions): Listing | undefined {
  const mark = markIf(`${root}/${below.slice(0, -1)}`, (stats) => stats.isDirectory());
  if (!mark) return undefined;
  const before = known.get(below);
  if (before?.mark && isSameMark(before.mark, mark)) return before;
  const listing: Listing = { files: [], directories: [], ...(isSettled(mark, now()) && { mark }) };
  const opened = openDirectory(`${root}/${below}`);
  try {
    for (let entry = opened?.readSync(); entry; entry = opened?.readSync()) {
      if (skip.has(entry.name)) continue;
      if (entry.isDirectory()) listing.directories.push(entry.name);
      else if (entry.isFile()) listing.files.push(entry.name);
      if (listing.files.length > most || listing.directories.length > most) break;
    }
  } finally {
    opened?.closeSync();
  }
  return opened && listing;
}

function openDirectory(path: string): Dir | undefined {
  try {
    return opendirSync(path, { bufferSize: BATCH });
  } catch {
    return undefined;
  }
}

/** The mark of a file without reading it; undefined when it is not a regular file. `path` is relative to `root`. */
export function markOf(root: string, path: string): Mark | undefined {
  return markIf(`${root}/${path}`, (stats) => stats.isFile());
}

function markIf(path: string, isWanted: (stats: Stats) => boolean): Mark | undefined {
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    return stats && isWanted(stats) ? stats : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined when the file is missing, lies elsewhere, is not regular or is larger than `maxBytes`. */
export function readSmall(root: string, path: string, maxBytes: number): SmallFile | undefined {
  const wanted = `${root}/${path}`;
  let fd: number | undefined;
  try {
    fd = openSync(wanted, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const stats = fstatSync(fd);
    if (!stats.isFile() || stats.size > maxBytes || readlinkSync(`/proc/self/fd/${fd}`) !== wanted) return undefined;
    const bytes = Buffer.allocUnsafeSlow(stats.size);
    const length = readSync(fd, bytes, 0, stats.size, 0);
    return {
      bytes: bytes.subarray(0, length),
      mode: stats.mode & 0o777,
      mark: stats,
    };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}
