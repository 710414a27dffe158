// A look at a path that may be gone, unreadable or something else by now: then there is nothing to see.
import { type Dirent, lstatSync, readdirSync, type Stats } from 'node:fs';

/** Undefined for anything but a directory; a link is not followed. */
export function directoryAt(address: Buffer): Stats | undefined {
  try {
    const stats = lstatSync(address, { throwIfNoEntry: false });
    return stats?.isDirectory() ? stats : undefined;
  } catch {
    return undefined;
  }
}

/** Names are latin1: one character for each byte. */
export function entriesAt(address: Buffer): Dirent[] | undefined {
  try {
    return readdirSync(address, { withFileTypes: true, encoding: 'latin1' });
  } catch {
    return undefined;
  }
}
