// A workspace root with something forbidden beside it, in a directory of its own.
import {
  accessSync,
  constants,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Yard {
  /** Real path of the directory that holds everything. */
  base: string;
  root: string;
  outside: string;
  /** Writes a file below `base`, parents included. */
  write(path: string, content: string): void;
  /** Every path below `base` with what is there, links not followed; `outside`: without what is in the root. */
  tree(part?: 'outside'): string[];
  remove(): void;
}

/** `inMemory`: where the system offers it; syncing costs nothing there, so many more attempts fit into a test. */
export function createYard({ inMemory = false } = {}): Yard {
  const place = inMemory && canWrite('/dev/shm') ? '/dev/shm' : tmpdir();
  const base = realpathSync(mkdtempSync(join(place, 'lainclaw-yard-')));
  const yard: Yard = {
    base,
    root: join(base, 'ws'),
    outside: join(base, 'outside'),
    write(path, content) {
      mkdirSync(dirname(join(base, path)), { recursive: true });
      writeFileSync(join(base, path), content);
    },
    tree: (part) => treeOf(base, part === 'outside' ? yard.root : undefined),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
  mkdirSync(yard.root);
  mkdirSync(yard.outside);
  return yard;
}

function canWrite(directory: string): boolean {
  try {
    accessSync(directory, constants.W_OK);
    return true;
  } catch {
    return false;
  }
}

/** Sorted. (Node's own recursive listing follows links.) */
export function treeOf(directory: string, except?: string): string[] {
  const entries = readdirSync(directory, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
  return entries.flatMap((entry) => {
    const path = join(directory, entry.name);
    if (path === except) return [];
    if (entry.isDirectory()) return [`${path}/`, ...treeOf(path, except)];
    if (entry.isSymbolicLink()) return [`${path} -> ${readlinkSync(path)}`];
    return [entry.isFile() ? `${path}: ${readFileSync(path, 'utf8')}` : path];
  });
}
