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

export interface SmallFile {
  bytes: Buffer;
  /** Permission bits. */
  mode: number;
  /** Changes whenever the file's identity, size, mode or times do. */
  mark: string;
  /** Milliseconds since the epoch. */
  changedAt: number;
}

/**
 * Regular files below `root`, relative to it; no link is followed. Names in `skip` are left out with all below them. Undefined when
 * there are more than `most`, or when the root cannot be read.
 */
export async function listMany(
  root: string,
  { skip, most, signal }: { skip: ReadonlySet<string>; most: number; signal: AbortSignal },
): Promise<string[] | undefined> {
  const files: string[] = [];
  const directories = [''];
  let seen = 0;
  for (const below of directories) {
    const opened = openDirectory(`${root}/${below}`);
    if (!opened && below === '') return undefined;
    try {
      for (let entry = opened?.readSync(); entry; entry = opened?.readSync()) {
        seen += 1;
        if (seen % BATCH === 0) await nextRound(undefined, { signal });
        if (skip.has(entry.name)) continue;
        if (entry.isDirectory()) directories.push(`${below}${entry.name}/`);
        else if (entry.isFile()) files.push(below + entry.name);
        if (files.length > most || directories.length > most) return undefined;
      }
    } finally {
      opened?.closeSync();
    }
  }
  return files;
}

/** A directory that cannot be read has nothing to compare. */
function openDirectory(path: string): Dir | undefined {
  try {
    return opendirSync(path, { bufferSize: BATCH });
  } catch {
    return undefined;
  }
}

/** The `mark` of a file without reading it; undefined when it is not a regular file. `path` is relative to `root`. */
export function markOf(root: string, path: string): { mark: string; size: number } | undefined {
  try {
    const stats = lstatSync(`${root}/${path}`, { throwIfNoEntry: false });
    return stats?.isFile() ? { mark: toMark(stats), size: stats.size } : undefined;
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
      mark: toMark(stats),
      changedAt: stats.ctimeMs,
    };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function toMark({ ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return `${ino}-${size}-${mode}-${mtimeMs}-${ctimeMs}`;
}
