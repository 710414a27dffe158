// The archive's tables, in the one SQLite file. The index of terms keeps no text (the chunks have it) and no positions
// (hits are rescored from their text): half the size of a full one and as fast to read. It is named by its generation,
// so that a new one can be built beside it.
import type { DatabaseSync } from 'node:sqlite';

export interface State {
  generation: number;
  building: number | null;
  /** Of the terms in the index that is being built. */
  building_version: string | null;
  built_to: number | null;
  version: string | null;
  chunks: number;
  length: number;
}

/** What the terms of a chunk are made of; the caller adds a condition. */
export const INDEXED_COLUMNS =
  'c.id, c.length, c.context, c.text, d.date, d.speaker FROM archive_chunks c JOIN archive_documents d ON d.key = c.document';

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

/** One consistent view: an index that is swapped meanwhile stays readable. */
export function read<T>(db: DatabaseSync, statements: () => T): T {
  db.exec('BEGIN');
  try {
    return statements();
  } finally {
    db.exec('COMMIT');
  }
}
