// A copy of a SQLite file as it is at one moment, while others write to it. It is checked before it is used.
import { BackupError } from '../../backups.ts';
import { ensurePrivateFile, storageError } from '../../private-files.ts';

const BUSY_TIMEOUT_MS = 10_000;
/** The whole file in one step: a copy in several would begin again with each write of another process. */
const ALL_PAGES = 2 ** 31 - 1;

/** Rejects with BACKUP_HOME_DAMAGED when the database is not sound. */
export async function snapshotDatabase(path: string, to: string): Promise<void> {
  const { DatabaseSync, backup } = process.getBuiltinModule('node:sqlite');
  await ensurePrivateFile(to);
  try {
    const source = new DatabaseSync(path, { readOnly: true, timeout: BUSY_TIMEOUT_MS });
    try {
      await backup(source, to, { rate: ALL_PAGES });
    } finally {
      source.close();
    }
    checkSoundness(to);
  } catch (error) {
    if (!isDamage(error)) throw storageError(path, error);
    throw new BackupError(
      'BACKUP_HOME_DAMAGED',
      `${path} is damaged (${(error as Error).message}), so no backup was made of it: run "lainclaw doctor"`,
    );
  }
}

/** Throws when SQLite finds a fault. Leaves one file, without a log beside it. */
export function checkSoundness(path: string): void {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(path);
  try {
    database.exec('PRAGMA journal_mode = DELETE');
    const [first] = Object.values(database.prepare('PRAGMA integrity_check(1)').get() ?? {});
    if (first !== 'ok') throw new UnsoundDatabase(String(first));
  } finally {
    database.close();
  }
}

export function versionOf(path: string): number {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(path, { readOnly: true });
  try {
    return Number(database.prepare('PRAGMA user_version').get()?.user_version);
  } finally {
    database.close();
  }
}

class UnsoundDatabase extends Error {}

const SQLITE_CORRUPT = 11;
const SQLITE_NOTADB = 26;

function isDamage(error: unknown): boolean {
  const code = (error as { errcode?: number }).errcode ?? 0;
  return error instanceof UnsoundDatabase || [SQLITE_CORRUPT, SQLITE_NOTADB].includes(code & 0xff);
}
