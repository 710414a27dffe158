import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeMailbox } from '../mailbox-conformance.ts';
import { createLocalStorage } from './local-storage.ts';

describeMailbox('local storage', () => {
  const base = mkdtempSync(join(tmpdir(), 'lainclaw-mailbox-'));
  return {
    async open() {
      const storage = createLocalStorage({ home: join(base, 'home'), now: Date.now });
      return { mailbox: await storage.mailbox(), close: () => storage.close() };
    },
    remove: () => rmSync(base, { recursive: true, force: true }),
  };
});
