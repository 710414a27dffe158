// Reads many small files, to compare a workspace before and after. A walk for each would take ten times as long: here a file
// is opened by its plain path, and before a byte is read the open file must prove to be that path. Blocks while it reads one
// regular file, never on anything else.
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs';

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

/** The mark of a file without reading it; undefined when it is not a regular file. `path` is relative to `root`. */
export function markOf(root: string, path: string): Mark | undefined {
  try {
    const stats = lstatSync(`${root}/${path}`, { throwIfNoEntry: false });
    return stats?.isFile() ? stats : undefined;
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
