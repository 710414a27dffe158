// The one SQLite file for everything indexed or counted. Opened on first use only: most commands never need it.
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { ensurePrivateFile, storageError } from './files.ts';

const BUSY_TIMEOUT_MS = 5_000;

const TABLES = `
  CREATE TABLE IF NOT EXISTS tool_results (scope TEXT NOT NULL, key TEXT NOT NULL, value TEXT NOT NULL, UNIQUE (scope, key));
`;

export interface Database {
  /** Runs one or more statements; a failure names the file and what to do. */
  use<T>(statements: (database: DatabaseSync) => T): Promise<T>;
  close(): Promise<void>;
}

export function createDatabase(home: string): Database {
  const path = join(home, 'lainclaw.db');
  let opened: Promise<DatabaseSync> | undefined;
  return {
    async use(statements) {
      try {
        opened ??= openDatabase(path);
        return statements(await opened);
      } catch (error) {
        throw storageError(path, error);
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

async function openDatabase(path: string): Promise<DatabaseSync> {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  await ensurePrivateFile(path);
  const database = new DatabaseSync(path, { timeout: BUSY_TIMEOUT_MS });
  database.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; ${TABLES}`);
  return database;
}
