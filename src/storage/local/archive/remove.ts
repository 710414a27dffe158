// Forgetting: the text, its terms and its vectors go, and the space that they took is overwritten (secure_delete for the tables,
// the index's own secure-delete for the terms; where much goes at once, writing the whole index again is quicker than
// taking out term by term, and leaves as little). Copies in the write-ahead log go with the checkpoint that follows.
import type { DatabaseSync } from 'node:sqlite';
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import type { TermsOf } from '../../archive.ts';
import { indexedRow } from '../../archive-rows.ts';
import { inTransaction } from '../open-database.ts';
import { INDEXED_COLUMNS, indexName, readState } from './tables.ts';
import { removeVectors } from './vectors.ts';
import { visibleTo } from './visible.ts';

/** From here on, and where it is more than so small a part of all, many chunks are taken out at once. */
const MANY = 200;
const PART_OF_ALL = 1 / 500;

export function removeDocuments(
  db: DatabaseSync,
  reader: MemoryReader,
  ids: readonly string[],
  termsOf: TermsOf,
): number {
  return inTransaction(db, () => deleteDocuments(db, reader, ids, termsOf));
}

/** Within a transaction of the caller's. */
export function deleteDocuments(
  db: DatabaseSync,
  reader: MemoryReader,
  ids: readonly string[],
  termsOf: TermsOf,
): number {
  const state = readState(db);
  const indexes = [{ name: indexName(state.generation), upTo: Number.POSITIVE_INFINITY }];
  // One under construction may hold some of it already.
  if (state.building !== null) indexes.push({ name: indexName(state.building), upTo: state.built_to ?? 0 });
  const keys = [...new Set(ids)].flatMap((id) => keyOf(db, reader, id) ?? []);
  const isMany = chunkCount(db, keys) > Math.max(MANY, state.chunks * PART_OF_ALL);
  if (isMany) for (const { name } of indexes) setSecure(db, name, false);
  const chunksOf = db.prepare(`SELECT ${INDEXED_COLUMNS} WHERE c.document = ?`);
  for (const key of keys) {
    const rows = chunksOf.all(key).map(indexedRow);
    for (const row of rows) {
      const terms = termsOf(row).join(' ');
      for (const { name } of indexes.filter(({ upTo }) => row.id <= upTo))
        db.prepare(`INSERT INTO ${name} (${name}, rowid, terms) VALUES ('delete', ?, ?)`).run(row.id, terms);
      removeVectors(db, row.id);
    }
    const length = rows.reduce((sum, row) => sum + row.length, 0);
    closeGap(db, key);
    db.prepare('DELETE FROM archive_chunks WHERE document = ?').run(key);
    db.prepare('DELETE FROM archive_documents WHERE key = ?').run(key);
    db.prepare('UPDATE archive_state SET chunks = chunks - ?, length = length - ?').run(rows.length, length);
  }
  // One look at all of them, however many were removed.
  db.exec(
    'UPDATE archive_documents SET superseded_by = NULL, valid_until = NULL WHERE superseded_by IS NOT NULL AND superseded_by NOT IN (SELECT id FROM archive_documents)',
  );
  db.exec('DELETE FROM fact_sources WHERE document NOT IN (SELECT id FROM archive_documents)');
  if (isMany) {
    for (const { name } of indexes) {
      db.exec(`INSERT INTO ${name} (${name}) VALUES ('optimize')`);
      setSecure(db, name, true);
    }
  }
  return keys.length;
}

/** What a removed document had replaced is replaced by the one that had replaced it, where there is one. */
function closeGap(db: DatabaseSync, key: number): void {
  const { id, next, until } = db
    .prepare('SELECT id, superseded_by AS next, valid_until AS until FROM archive_documents WHERE key = ?')
    .get(key) as { id: string; next: string | null; until: string | null };
  if (next !== null)
    db.prepare('UPDATE archive_documents SET superseded_by = ?, valid_until = ? WHERE superseded_by = ?').run(
      next,
      until,
      id,
    );
}

function keyOf(db: DatabaseSync, reader: MemoryReader, id: string): number | undefined {
  const { sql, scopes } = visibleTo(reader);
  const row = db.prepare(`SELECT d.key FROM archive_documents d WHERE d.id = ? AND ${sql}`).get(id, ...scopes);
  return row?.key as number | undefined;
}

function chunkCount(db: DatabaseSync, documents: readonly number[]): number {
  const count = db.prepare('SELECT count(*) AS chunks FROM archive_chunks WHERE document = ?');
  return documents.reduce((sum, key) => sum + Number(count.get(key)?.chunks), 0);
}

function setSecure(db: DatabaseSync, index: string, isOn: boolean): void {
  db.exec(`INSERT INTO ${index} (${index}, rank) VALUES ('secure-delete', ${isOn ? 1 : 0})`);
}
