// Opens a SQLite file of a home that cannot be written, for reading: SQLite wants to make files beside it, and refuses otherwise.
// Tried in this order:
//   as it is        works where another process writes the file and has made the files beside it
//   immutable       where the write-ahead log holds nothing: nobody writes here, or the log would not be empty
//   a private copy  of the file and its log, which SQLite can bring together there
import { existsSync, statSync } from 'node:fs';
import { chmod, copyFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { BLOCKING_WAIT_MS } from './when-free.ts';

export interface OpenedForReading {
  database: DatabaseSync;
  /** After the database was closed. */
  cleanUp(): Promise<void>;
}

const nothing = async (): Promise<void> => {};

/** Undefined when the file is not at this version: it cannot be brought there. */
export async function openForReading(path: string, version: number): Promise<OpenedForReading | undefined> {
  if (!existsSync(path)) return undefined;
  const opened = tryOpen(path) ?? (isLogEmpty(path) ? tryOpen(immutable(path)) : undefined);
  const readable = opened ? { database: opened, cleanUp: nothing } : await openCopy(path);
  if (Number(readable.database.prepare('PRAGMA user_version').get()?.user_version) === version) return readable;
  readable.database.close();
  await readable.cleanUp();
  return undefined;
}

function tryOpen(path: string | URL): DatabaseSync | undefined {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const database = new DatabaseSync(path, { readOnly: true, timeout: BLOCKING_WAIT_MS });
  try {
    // The files beside it are needed with the first look.
    database.prepare('SELECT count(*) FROM sqlite_schema').get();
    return database;
  } catch {
    database.close();
    return undefined;
  }
}

function immutable(path: string): URL {
  const url = pathToFileURL(path);
  url.searchParams.set('immutable', '1');
  return url;
}

function isLogEmpty(path: string): boolean {
  return (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0;
}

async function openCopy(path: string): Promise<OpenedForReading> {
  const directory = await mkdtemp(join(tmpdir(), 'lainclaw-reading-'));
  const cleanUp = (): Promise<void> => rm(directory, { recursive: true, force: true });
  try {
    const copy = join(directory, basename(path));
    for (const suffix of ['', '-wal']) {
      await copyFile(`${path}${suffix}`, `${copy}${suffix}`);
      await chmod(`${copy}${suffix}`, 0o600);
    }
    const database = tryOpen(copy);
    if (!database) throw new Error(`${path} cannot be read`);
    return { database, cleanUp };
  } catch (error) {
    await cleanUp();
    throw error;
  }
}
