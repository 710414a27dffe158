// Many small files at once, for whoever compares a workspace before and after. A walk for each would take ten times as long:
// here a file is opened by its plain path, and what was opened must say that it is that path before a byte is read. Blocks
// while it reads one file, never on what is no regular file.
import { closeSync, constants, fstatSync, lstatSync, openSync, readlinkSync, readSync, type Stats } from 'node:fs';

export interface SmallFile {
  bytes: Buffer;
  /** Permission bits. */
  mode: number;
  /** Changes whenever the file's identity, size, mode or times do. */
  mark: string;
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
    return { bytes: bytes.subarray(0, length), mode: stats.mode & 0o777, mark: toMark(stats) };
  } catch {
    return undefined;
  } finally {
    if (fd !== undefined) closeSync(fd);
  }
}

function toMark({ ino, size, mode, mtimeMs, ctimeMs }: Stats): string {
  return `${ino}-${size}-${mode}-${mtimeMs}-${ctimeMs}`;
}
