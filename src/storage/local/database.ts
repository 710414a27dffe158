// A SQLite file of the home. Opened on first use only: most commands never need one.
import type { DatabaseSync } from 'node:sqlite';
import { storageError } from './files.ts';
import { type OpenDatabaseOptions, openDatabase } from './open-database.ts';

export interface Database {
  /** Runs one or more statements; a failure names the file and what to do. */
  use<T>(statements: (database: DatabaseSync) => T): Promise<T>;
  close(): Promise<void>;
}

export function createDatabase(options: OpenDatabaseOptions): Database {
  let opened: Promise<DatabaseSync> | undefined;
  return {
    async use(statements) {
      try {
        opened ??= openDatabase(options);
        return statements(await opened);
      } catch (error) {
        throw storageError(options.path, error);
      }
    },
    async close() {
      const closing = opened;
      opened = undefined;
      // One that could not be opened was told to whoever asked for it.
      const database = await closing?.catch(() => undefined);
      database?.close();
    },
  };
}
