import { join } from 'node:path';
import type { Backups } from '../../backups.ts';
import type { Locks } from '../../locks.ts';
import { removeDurably } from '../../private-files.ts';
import { SUMS_PATH } from '../check/home-sums.ts';
import { createAutomaticBackup } from './automatic-backup.ts';
import { automaticBackups, newestBackup } from './automatic-names.ts';
import { createBackup } from './create-backup.ts';
import { readFileOfBackup, useSessionOfBackup } from './read-parts.ts';
import { restoreHome } from './restore-home.ts';
import { verifyBackup } from './verify-backup.ts';

export function createLocalBackups(home: string, locks: Locks): Backups {
  return {
    create: (request) => createBackup(home, locks, request),
    createAutomatic: (request) => createAutomaticBackup(home, locks, request),
    newestAutomatic: () => newestBackup(home),
    async removeAutomatic(mode) {
      const found = automaticBackups(home);
      if (mode !== 'remove') return found.length;
      for (const { file } of found) await removeDurably(file);
      // A record without its backups would call what is rewritten now damaged.
      await removeDurably(join(home, SUMS_PATH));
      return found.length;
    },
    verify: verifyBackup,
    restore: (request) => restoreHome(home, locks, request),
    readFile: readFileOfBackup,
    useSession: (request, use) => useSessionOfBackup(home, locks, request, use),
  };
}
