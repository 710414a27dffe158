// Removed data stays in the free space of a SQLite file and in its write-ahead log until something else is written there.
import { existsSync } from 'node:fs';
import { basename } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { StorageError } from '../storage.ts';

const LOG_ATTEMPTS = 100;
const LOG_RETRY_MS = 100;
const LOG_BLOCKS_MS = 50;

type Use = <T>(statements: (db: DatabaseSync) => T) => Promise<T>;

/** Writes the whole file again, without what was removed from it. Nothing happens where there is no file. */
export async function eraseRemoved(use: Use, path: string): Promise<void> {
  if (!existsSync(path)) return;
  await use((db) => db.exec('VACUUM'));
  await emptyLog(use, basename(path));
}

/**
 * Writes the log into the file and empties it. Waits a while for current readers, without blocking this process; throws when
 * a reader does not end, because the log still contains removed data.
 */
export async function emptyLog(use: Use, file: string): Promise<void> {
  for (let attempt = 0; attempt < LOG_ATTEMPTS; attempt += 1) {
    if (attempt > 0) await sleep(LOG_RETRY_MS);
    if (await use(isLogEmptied)) return;
  }
  throw new StorageError(
    'STORAGE_FAILED',
    `it is forgotten, but another program keeps reading ${file}, and ${file}-wal may still hold its text: end that program, and forget anything else or restart Lainclaw to empty it`,
  );
}

function isLogEmptied(db: DatabaseSync): boolean {
  const timeout = Number(db.prepare('PRAGMA busy_timeout').get()?.timeout);
  db.exec(`PRAGMA busy_timeout = ${LOG_BLOCKS_MS}`);
  try {
    return db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get()?.busy === 0;
  } finally {
    db.exec(`PRAGMA busy_timeout = ${timeout}`);
  }
}
