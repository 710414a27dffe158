// A SQLite file of the home. Opened on first use only: most commands never need one. Where the home cannot be written it is
// opened for reading, and whatever would change it fails.
import type { DatabaseSync } from 'node:sqlite';
import { storageError } from '../private-files.ts';
import type { StorageErrorCode } from '../storage.ts';
import { type OpenDatabaseOptions, openDatabase, openLogKeeper } from './open-database.ts';
import { whenFree } from './when-free.ts';

export interface Database {
  /**
   * Runs one statement, or several in one transaction; a failure names the file and what to do. While another process holds the
   * file they are tried again, and other work of this process continues.
   */
  use<T>(statements: (database: DatabaseSync) => T): Promise<T>;
  close(): Promise<void>;
}

export interface DatabaseOptions extends OpenDatabaseOptions {
  /** Closing leaves the write-ahead log as it is. */
  keepsLog?: boolean;
}

interface Connection {
  database: DatabaseSync;
  isForReading: boolean;
  close(): Promise<void>;
}

const READABLE: readonly StorageErrorCode[] = ['STORAGE_READ_ONLY', 'STORAGE_NO_PERMISSION'];

export function createDatabase(options: DatabaseOptions): Database {
  let opened: Promise<Connection> | undefined;

  /** One that could not be opened is opened again by the next use. */
  function connection(): Promise<Connection> {
    if (opened) return opened;
    const opening = connect(options);
    opened = opening;
    opening.catch(() => {
      if (opened === opening) opened = undefined;
    });
    return opening;
  }

  async function close(): Promise<void> {
    const closing = opened;
    opened = undefined;
    // A failure to open was already reported to the caller that used it.
    await (await closing?.catch(() => undefined))?.close();
  }

  return {
    async use(statements) {
      try {
        return await whenFree(async () => statements((await connection()).database));
      } catch (error) {
        // The home may be writable by now.
        if ((await opened?.catch(() => undefined))?.isForReading) await close();
        throw storageError(options.path, error);
      }
    },
    close,
  };
}

async function connect(options: DatabaseOptions): Promise<Connection> {
  try {
    return await connectForWriting(options);
  } catch (error) {
    if (!READABLE.includes(storageError(options.path, error).code)) throw error;
    const { openForReading } = await import('./open-for-reading.ts');
    const reading = await openForReading(options.path, options.schema.version).catch(() => undefined);
    if (!reading) throw error;
    const { database, cleanUp } = reading;
    return {
      database,
      isForReading: true,
      async close() {
        database.close();
        await cleanUp();
      },
    };
  }
}

async function connectForWriting({ keepsLog = false, ...options }: DatabaseOptions): Promise<Connection> {
  const database = await openDatabase(options);
  try {
    const logKeeper = keepsLog ? openLogKeeper(options.path) : undefined;
    return {
      database,
      isForReading: false,
      async close() {
        database.close();
        logKeeper?.close();
      },
    };
  } catch (error) {
    database.close();
    throw error;
  }
}
