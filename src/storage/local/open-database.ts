// Opens a SQLite file at the version of its schema. `PRAGMA user_version` counts the steps that were applied to the file, so
// each step runs once in its life, in one transaction with the new version. A file of a newer version is refused before
// anything is written to it. Steps are never changed once they are released: a change of the tables is one more step.
import type { DatabaseSync } from 'node:sqlite';
import { ensurePrivateFile } from '../private-files.ts';
import { newerVersion } from '../storage.ts';
import { BLOCKING_WAIT_MS } from './when-free.ts';

/** Brings the tables from one version to the next. The first step also meets files from before versions were kept (0). */
export type Migration = (db: DatabaseSync) => void;

export interface Schema {
  /** How many steps there are. */
  version: number;
  /** Loaded only where a file is not at this version yet. */
  steps(): Promise<readonly Migration[]>;
}

export interface OpenDatabaseOptions {
  path: string;
  schema: Schema;
  /** For each connection, before the tables are made. */
  pragmas: string;
  /** Called before an existing file of an earlier version is changed, with that version. */
  beforeMigration?(version: number): Promise<void>;
}

/**
 * While this connection is open, closing the others does not carry the write-ahead log over into the database, and neither
 * does closing this one, since it may not write. A one-shot command is spared two waits for the disk; the log is carried over
 * now and then by a writer.
 */
export function openLogKeeper(path: string): DatabaseSync {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  const db = new DatabaseSync(path, { readOnly: true, timeout: BLOCKING_WAIT_MS });
  // The log is opened with the first look.
  db.prepare('PRAGMA user_version').get();
  return db;
}

/** Fails while another process holds the file: `whenFree` waits for it. */
export async function openDatabase(options: OpenDatabaseOptions): Promise<DatabaseSync> {
  const { path, schema, pragmas } = options;
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  await ensurePrivateFile(path);
  const db = new DatabaseSync(path, { timeout: BLOCKING_WAIT_MS });
  try {
    const version = checkedVersion(db, path, schema);
    const isCurrent = version === schema.version;
    if (!isCurrent && hasTables(db)) await options.beforeMigration?.(version);
    db.exec(pragmas);
    if (!isCurrent) migrate(db, path, schema, await schema.steps());
    return db;
  } catch (error) {
    db.close();
    throw error;
  }
}

function migrate(db: DatabaseSync, path: string, schema: Schema, steps: readonly Migration[]): void {
  inTransaction(db, () => {
    // Another process may have been faster.
    for (const step of steps.slice(checkedVersion(db, path, schema))) step(db);
    db.exec(`PRAGMA user_version = ${schema.version}`);
  });
}

function checkedVersion(db: DatabaseSync, path: string, { version }: Schema): number {
  const found = Number(db.prepare('PRAGMA user_version').get()?.user_version);
  if (found > version) throw newerVersion(path, found, version);
  return found;
}

function hasTables(db: DatabaseSync): boolean {
  return db.prepare('SELECT 1 FROM sqlite_schema LIMIT 1').get() !== undefined;
}

/** One write transaction: whole or not at all. */
export function inTransaction<T>(db: DatabaseSync, statements: () => T): T {
  db.exec('BEGIN IMMEDIATE');
  try {
    const result = statements();
    db.exec('COMMIT');
    return result;
  } catch (error) {
    if (db.isTransaction) db.exec('ROLLBACK');
    throw error;
  }
}
