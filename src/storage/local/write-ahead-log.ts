// Makes what was committed durable without stopping everything else: SQLite would wait for the disk on the main thread, so
// its commits do not wait, and the write-ahead log is synced here, beside the other work. A log that was removed meanwhile
// had been carried over into the database, and synced, before.
import { fstatSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { storageError, syncDirectory } from '../private-files.ts';

export interface WriteAheadLog {
  /** To be called with each connection, before it is used. */
  prepare(database: DatabaseSync): void;
  /** Resolves when everything that is committed would survive a power cut. */
  sync(): Promise<void>;
  close(): Promise<void>;
}

export function createWriteAheadLog(databasePath: string): WriteAheadLog {
  const path = `${databasePath}-wal`;
  // Where there can be no such log, each commit waits by itself.
  let isUsed = false;
  let handle: FileHandle | undefined;
  let opening: Promise<void> | undefined;

  async function syncLog(): Promise<void> {
    // What was committed since it began is not in that sync: another one follows.
    while (opening) await opening.catch(() => {});
    if (handle && fstatSync(handle.fd).nlink > 0) return handle.datasync();
    opening = openLog().finally(() => {
      opening = undefined;
    });
    await opening;
  }

  async function openLog(): Promise<void> {
    await handle?.close();
    handle = undefined;
    const fresh = await open(path, 'r+');
    try {
      await Promise.all([fresh.datasync(), syncDirectory(dirname(path))]);
    } catch (error) {
      await fresh.close();
      throw error;
    }
    handle = fresh;
  }

  return {
    prepare(database) {
      const mode = String(database.prepare('PRAGMA journal_mode').get()?.journal_mode);
      isUsed = mode === 'wal';
      database.exec(`PRAGMA synchronous = ${isUsed ? 'NORMAL' : 'FULL'}`);
    },
    async sync() {
      if (!isUsed) return;
      try {
        await syncLog();
      } catch (error) {
        throw storageError(path, error);
      }
    },
    async close() {
      await opening?.catch(() => {});
      await handle?.close();
      handle = undefined;
    },
  };
}
