// Whether another process uses a home. A running turn and a gateway hold kernel locks; a chat that waits for its person has a
// database open, and SQLite gives up a write-ahead log only to the last one that has.
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { BackupError } from '../../backups.ts';
import { storageError } from '../../private-files.ts';

const GATEWAY = 'gateway-service';
const DATABASES = ['lainclaw.db', 'sessions/sessions.db', 'undo/undo.db'];
const SQLITE_BUSY = 5;

/** Throws BACKUP_HOME_IN_USE. `own` is the name of the lock that the caller holds. */
export async function refuseHomeInUse(home: string, own: string): Promise<void> {
  const locks = await readdir(join(home, 'locks')).catch(() => []);
  for (const name of locks) {
    if (!name.endsWith('.lock') || name.startsWith(`${own}-`)) continue;
    if (!isBusy(join(home, 'locks', name), 'BEGIN EXCLUSIVE')) continue;
    throw new BackupError(
      'BACKUP_HOME_IN_USE',
      name.startsWith(GATEWAY)
        ? 'a gateway runs on this home: stop it first (lainclaw gateway stop)'
        : 'another command runs on this home (after an answer, one may extract facts in the background for two minutes): wait until it has ended',
    );
  }
  for (const name of DATABASES) {
    const path = join(home, name);
    if (existsSync(path) && isBusy(path, 'PRAGMA journal_mode = DELETE'))
      throw new BackupError('BACKUP_HOME_IN_USE', 'another process uses this home: end it first (a chat, for example)');
  }
}

function isBusy(path: string, statement: string): boolean {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  let database: InstanceType<typeof DatabaseSync> | undefined;
  try {
    database = new DatabaseSync(path, { timeout: 0 });
    database.exec(statement);
    return false;
  } catch (error) {
    const code = (error as { errcode?: number }).errcode ?? 0;
    if ((code & 0xff) === SQLITE_BUSY) return true;
    // A damaged database is used by nobody, and is about to be replaced.
    if ((code & 0xff) !== 0) return false;
    throw storageError(path, error);
  } finally {
    database?.close();
  }
}
