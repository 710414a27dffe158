import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeStorage } from '../conformance.ts';
import { createLocalStorage } from './local-storage.ts';

describeStorage('local storage', () => {
  const base = mkdtempSync(join(tmpdir(), 'lainclaw-storage-'));
  const home = join(base, 'home');
  return {
    open: () => createLocalStorage({ home, now: Date.now }),
    readOutput: (path) => readFileSync(path, 'utf8'),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
});
