import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeBlobs } from '../../../test/conformance/blobs.ts';
import { describeLocks } from '../../../test/conformance/locks.ts';
import { describeRemoval } from '../../../test/conformance/removal.ts';
import { describeStorage, type StorageSubject } from '../../../test/conformance/storage.ts';
import { createLocalStorage } from './local-storage.ts';

function createSubject(): StorageSubject {
  const base = mkdtempSync(join(tmpdir(), 'lainclaw-storage-'));
  const home = join(base, 'home');
  return {
    open: () => createLocalStorage({ home, now: Date.now }),
    readOutput: (path) => readFileSync(path, 'utf8'),
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
}

describeStorage('local storage', createSubject);
describeRemoval('local storage', createSubject);
describeBlobs('local storage', createSubject);

describeLocks('local storage', () => {
  const base = mkdtempSync(join(tmpdir(), 'lainclaw-locks-'));
  const home = join(base, 'home');
  const source = new URL('./local-storage.ts', import.meta.url).href;
  return {
    open: () => createLocalStorage({ home, now: Date.now }),
    openElsewhere: `(await import(${JSON.stringify(source)})).createLocalStorage({ home: ${JSON.stringify(home)}, now: Date.now })`,
    async breakLock(name) {
      const directory = join(home, 'locks');
      for (const file of readdirSync(directory)) if (file.startsWith(`${name}-`)) rmSync(join(directory, file));
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
});
