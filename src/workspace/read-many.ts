// Many small files at once, for whoever compares a workspace before and after. A walk for each would take ten times as long:
// here a file is opened by its plain path, and what was opened must say that it is that path before a byte is read. Blocks
// while it reads one file, never on what is no regular file.
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

/** Between them others get their turn. */
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

/** As `SmallFile.mark`, without reading; undefined when there is no regular file. `path` is relative to `root`. */
export function markOf(root: string, path: string): { mark: string; size: number } | undefined {
  try {
    const stats = lstatSync(`${root}/${path}`, { throwIfNoEntry: false });
    return stats?.isFile() ? { mark: toMark(stats), size: stats.size } : undefined;
  } catch {
    return undefined;
  }
}

/** Undefined when it is not there, lies elsewhere, is no regular file or larger than `maxBytes`. */
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
