// A workspace root with something forbidden beside it, in a directory of its own.
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface Yard {
  /** Real path of the directory that holds everything. */
  base: string;
  root: string;
  outside: string;
  /** Writes a file below `base`, parents included. */
  write(path: string, content: string): void;
  remove(): void;
}

export function createYard(): Yard {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'lainclaw-yard-')));
  const yard: Yard = {
    base,
    root: join(base, 'ws'),
    outside: join(base, 'outside'),
    write(path, content) {
      mkdirSync(dirname(join(base, path)), { recursive: true });
      writeFileSync(join(base, path), content);
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
  mkdirSync(yard.root);
  mkdirSync(yard.outside);
  return yard;
}
