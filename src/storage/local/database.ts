// A SQLite file of the home. Opened on first use only: most commands never need one.
import type { DatabaseSync } from 'node:sqlite';
import { storageError } from '../private-files.ts';
import { type OpenDatabaseOptions, openDatabase, openLogKeeper } from './open-database.ts';

export interface Database {
  /** Runs one or more statements; a failure names the file and what to do. */
  use<T>(statements: (database: DatabaseSync) => T): Promise<T>;
  close(): Promise<void>;
}

export interface DatabaseOptions extends OpenDatabaseOptions {
  /** Closing leaves the write-ahead log as it is. */
  keepsLog?: boolean;
}

export function createDatabase({ keepsLog = false, ...options }: DatabaseOptions): Database {
  let opened: Promise<DatabaseSync> | undefined;
  let logKeeper: DatabaseSync | undefined;

  async function open(): Promise<DatabaseSync> {
    const database = await openDatabase(options);
    if (keepsLog) logKeeper = openLogKeeper(options.path);
    return database;
  }

  return {
    async use(statements) {
      try {
        opened ??= open();
        return statements(await opened);
      } catch (error) {
        throw storageError(options.path, error);
      }
    },
    async close() {
      const closing = opened;
      opened = undefined;
      // A failure to open was already reported to the caller that used it.
      const database = await closing?.catch(() => undefined);
      const keeper = logKeeper;
      logKeeper = undefined;
      database?.close();
      keeper?.close();
    },
  };
}
