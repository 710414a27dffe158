import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describeArchive } from '../../../../test/conformance/archive.ts';
import type { ArchiveSubject } from '../../../../test/conformance/archive-agreement.ts';
import { describeFacts } from '../../../../test/conformance/facts.ts';
import type { Database } from '../database.ts';
import { createLainclawDb } from '../lainclaw-db/schema.ts';
import { createLocks } from '../locks.ts';
import { createLocalArchive } from './local-archive.ts';

function localArchive(): ArchiveSubject {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-archive-'));
  const opened: Database[] = [];
  return {
    open() {
      const database = createLainclawDb(home);
      opened.push(database);
      return createLocalArchive({ database, locks: createLocks(join(home, 'locks')) });
    },
    remove() {
      for (const database of opened) database.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
}

describeArchive('one SQLite file', localArchive);
describeFacts('one SQLite file', localArchive);
