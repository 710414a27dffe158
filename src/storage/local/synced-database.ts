// The SQLite file on a connection whose commits are synced: acknowledged means on disk, each commit waits for the
// write-ahead log.
import type { DatabaseSync } from 'node:sqlite';
import type { Database } from './database.ts';

export type UseDatabase = <T>(statements: (database: DatabaseSync) => T) => Promise<T>;

/** `prepare` runs once a connection, before anything else. */
export function createSyncedDatabase(database: Database, prepare?: (opened: DatabaseSync) => void): UseDatabase {
  const prepared = new WeakSet<DatabaseSync>();
  return (statements) =>
    database.use((db) => {
      if (!prepared.has(db)) {
        db.exec('PRAGMA synchronous = FULL');
        prepare?.(db);
        prepared.add(db);
      }
      return statements(db);
    });
}
