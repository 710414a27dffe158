// The SQLite file on a connection whose commits are synced: acknowledged means on disk, each commit waits for the
// write-ahead log.
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../lib/monotonic.ts';
import type { Database } from './database.ts';

const LONGEST_WAIT_MS = 60_000;
const RETRY_MS = 50;

export type UseDatabase = <T>(statements: (database: DatabaseSync) => T) => Promise<T>;

/** `prepare` runs once a connection, before anything else. */
export function createSyncedDatabase(database: Database, prepare?: (opened: DatabaseSync) => void): UseDatabase {
  const prepared = new WeakSet<DatabaseSync>();
  return async (statements) => {
    const giveUp = monotonicMs() + LONGEST_WAIT_MS;
    for (;;) {
      let isOpen = false;
      try {
        return await database.use((db) => {
          isOpen = true;
          if (!prepared.has(db)) {
            db.exec('PRAGMA synchronous = FULL');
            prepare?.(db);
            prepared.add(db);
          }
          return statements(db);
        });
      } catch (error) {
        if (!isBusy(error) || monotonicMs() > giveUp) throw error;
        // A connection that could not be opened is not tried again by itself.
        if (!isOpen) database.close();
      }
      await sleep(Math.random() * RETRY_MS);
    }
  };
}

/** Other processes write: SQLite waits for them a while, but in no order; one that had no turn tries again. */
function isBusy(error: unknown): boolean {
  const { cause } = error as { cause?: { errcode?: number } };
  return cause?.errcode !== undefined && (cause.errcode & 0xff) === 5;
}
