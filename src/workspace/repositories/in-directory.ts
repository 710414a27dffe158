// Opens a directory below the root part by part and never through a link, so that what is done in it is done in the workspace,
// whatever another process puts in the place of a part meanwhile.
import { chmodSync, closeSync, constants, openSync, type Stats } from 'node:fs';
import { toSystem } from '../byte-path.ts';

const DIRECTORY = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
const O_PATH = 0o10000000;

/** `path` is a byte path, '' for the root itself. `act` is given an address that leads to the directory; undefined when there is none. */
export function inDirectory<T>(root: string, path: string, act: (address: string) => T): T | undefined {
  const open: number[] = [];
  try {
    open.push(openSync(root, O_PATH | constants.O_DIRECTORY));
    for (const name of path.split('/').filter((part) => part !== '')) {
      if (name === '..' || name === '.') return undefined;
      open.push(openSync(toSystem(`/proc/self/fd/${open.at(-1)}/${name}`), O_PATH | DIRECTORY));
    }
  } catch {
    for (const descriptor of open) closeSync(descriptor);
    return undefined;
  }
  try {
    return act(`/proc/self/fd/${open.at(-1)}`);
  } finally {
    for (const descriptor of open) closeSync(descriptor);
  }
}

/** A directory that can be entered but not listed would hide what other programs find in it by name. */
export function makeListable(root: string, path: string, { mode }: Pick<Stats, 'mode'>): boolean {
  const made = inDirectory(root, path, (address) => {
    try {
      chmodSync(address, (mode & 0o777) | 0o500);
      return true;
    } catch {
      return false;
    }
  });
  return made ?? false;
}
