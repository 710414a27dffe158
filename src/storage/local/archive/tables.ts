// The archive's tables, in the one SQLite file. The index of terms keeps no text (the chunks have it) and no positions
// (hits are rescored from their text): half the size of a full one and as fast to read. It is named by its generation,
// so that a new one can be built beside it.
import type { DatabaseSync } from 'node:sqlite';

const TABLES = `
  CREATE TABLE IF NOT EXISTS archive_documents (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, source TEXT NOT NULL, title TEXT, date TEXT NOT NULL, speaker TEXT,
    session TEXT, hash TEXT NOT NULL, superseded_by TEXT, UNIQUE (source, hash));
  CREATE TABLE IF NOT EXISTS archive_chunks (
    id INTEGER PRIMARY KEY AUTOINCREMENT, document INTEGER NOT NULL, position INTEGER NOT NULL, session TEXT,
    length INTEGER NOT NULL, context TEXT NOT NULL, text TEXT NOT NULL);
  CREATE INDEX IF NOT EXISTS archive_chunks_document ON archive_chunks (document);
  CREATE INDEX IF NOT EXISTS archive_chunks_session ON archive_chunks (session, id) WHERE session IS NOT NULL;
  CREATE TABLE IF NOT EXISTS archive_state (
    only INTEGER PRIMARY KEY CHECK (only = 1), generation INTEGER NOT NULL, building INTEGER, built_to INTEGER,
    version TEXT, chunks INTEGER NOT NULL, length INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS archive_models (key INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, dimension INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS archive_vectors (
    model INTEGER NOT NULL, chunk INTEGER NOT NULL, block INTEGER NOT NULL, place INTEGER NOT NULL, vector BLOB NOT NULL,
    PRIMARY KEY (model, chunk)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS archive_vector_blocks (
    model INTEGER NOT NULL, block INTEGER NOT NULL, size INTEGER NOT NULL, ids BLOB NOT NULL, bits BLOB NOT NULL,
    PRIMARY KEY (model, block)) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS archive_wanted_model (only INTEGER PRIMARY KEY CHECK (only = 1), name TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS archive_vector_counts (model INTEGER PRIMARY KEY, count INTEGER NOT NULL);
  CREATE TABLE IF NOT EXISTS archive_vector_changes (model INTEGER PRIMARY KEY, count INTEGER NOT NULL);
  INSERT OR IGNORE INTO archive_vector_counts SELECT model, count(*) FROM archive_vectors GROUP BY model;
`;

export interface State {
  generation: number;
  building: number | null;
  built_to: number | null;
  version: string | null;
  chunks: number;
  length: number;
}

/** Makes the tables where they are missing. Removed text is overwritten from here on, in this connection. */
export function prepareTables(db: DatabaseSync): void {
  db.exec('PRAGMA secure_delete = ON');
  const there = db.prepare("SELECT 1 FROM sqlite_master WHERE name = 'archive_vector_changes'").get();
  const stated = there && db.prepare('SELECT 1 FROM archive_state').get();
  if (stated) return;
  db.exec('BEGIN IMMEDIATE');
  try {
    db.exec(TABLES);
    if (!db.prepare('SELECT 1 FROM archive_state').get()) {
      createIndex(db, 1);
      db.exec('INSERT INTO archive_state VALUES (1, 1, NULL, NULL, NULL, 0, 0)');
    }
    db.exec('COMMIT');
  } catch (error) {
    db.exec('ROLLBACK');
    throw error;
  }
}

export function createIndex(db: DatabaseSync, generation: number): void {
  const name = indexName(generation);
  db.exec(`
    CREATE VIRTUAL TABLE ${name} USING fts5 (terms, content = '', detail = none, columnsize = 0, tokenize = 'ascii');
    INSERT INTO ${name} (${name}, rank) VALUES ('secure-delete', 1);
    CREATE VIRTUAL TABLE ${name}_terms USING fts5vocab (${name}, 'row');
  `);
}

export function dropIndex(db: DatabaseSync, generation: number): void {
  const name = indexName(generation);
  db.exec(`DROP TABLE IF EXISTS ${name}_terms; DROP TABLE IF EXISTS ${name}`);
}

export function indexName(generation: number): string {
  return `archive_index_${generation}`;
}

export function readState(db: DatabaseSync): State {
  return db.prepare('SELECT * FROM archive_state').get() as unknown as State;
}

/** One write transaction: whole or not at all. */
export function write<T>(db: DatabaseSync, statements: () => T): T {
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

/** One consistent view: an index that is swapped meanwhile stays readable. */
export function read<T>(db: DatabaseSync, statements: () => T): T {
  db.exec('BEGIN');
  try {
    return statements();
  } finally {
    db.exec('COMMIT');
  }
}
