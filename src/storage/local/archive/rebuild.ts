// Building the index again: beside the old one, in short transactions that each remember how far they came; then one
// transaction adds what was saved meanwhile, swaps the two and drops the old one. A kill leaves the old index in use and an
// unfinished one behind, which the next rebuild to the same version continues; another one drops it. Chunks forgotten meanwhile are removed from both (remove.ts).
import type { DatabaseSync } from 'node:sqlite';
import { lengthOf, type RebuildOptions, type TermsOf } from '../../archive.ts';
import { indexedRow } from '../../archive-rows.ts';
import { inTransaction } from '../open-database.ts';
import { createIndex, dropIndex, INDEXED_COLUMNS, indexName, readState } from './tables.ts';

const BATCH = 500;

/** The caller holds the rebuild's lock. Yields to the event loop between batches. */
export async function rebuildIndex(
  use: <T>(statements: (db: DatabaseSync) => T) => Promise<T>,
  termsOf: TermsOf,
  { version, batch = BATCH, signal, onProgress }: RebuildOptions,
): Promise<{ chunks: number }> {
  const { generation, copied: before } = await use((db) => inTransaction(db, () => begin(db, version)));
  for (let done = before; ; ) {
    signal?.throwIfAborted();
    const { copied, total } = await use((db) => inTransaction(db, () => copyBatch(db, generation, { termsOf, batch })));
    done += copied;
    onProgress?.({ done: Math.min(done, total), total });
    if (copied < batch) break;
    await new Promise((resolve) => setImmediate(resolve));
  }
  return use((db) => inTransaction(db, () => swap(db, generation, termsOf, version)));
}

function begin(db: DatabaseSync, version: string): { generation: number; copied: number } {
  const { generation, building, building_version: started, built_to: upTo } = readState(db);
  if (building !== null && started === version) {
    const { copied } = db.prepare('SELECT count(*) AS copied FROM archive_chunks WHERE id <= ?').get(upTo) ?? {};
    return { generation: building, copied: Number(copied) };
  }
  if (building !== null) dropIndex(db, building);
  const next = Math.max(generation, building ?? 0) + 1;
  createIndex(db, next);
  db.prepare('UPDATE archive_state SET building = ?, built_to = 0, building_version = ?').run(next, version);
  return { generation: next, copied: 0 };
}

function copyBatch(
  db: DatabaseSync,
  generation: number,
  { termsOf, batch }: { termsOf: TermsOf; batch: number },
): { copied: number; total: number } {
  const { built_to: from, chunks } = readState(db);
  const rows = db
    .prepare(`SELECT ${INDEXED_COLUMNS} WHERE c.id > ? ORDER BY c.id LIMIT ?`)
    .all(from ?? 0, batch)
    .map(indexedRow);
  const insert = db.prepare(`INSERT INTO ${indexName(generation)} (rowid, terms) VALUES (?, ?)`);
  const setLength = db.prepare('UPDATE archive_chunks SET length = ? WHERE id = ? AND length <> ?');
  for (const row of rows) {
    const terms = termsOf(row);
    insert.run(row.id, terms.join(' '));
    setLength.run(lengthOf(terms), row.id, lengthOf(terms));
  }
  const last = rows.at(-1);
  if (last) db.prepare('UPDATE archive_state SET built_to = ?').run(last.id);
  return { copied: rows.length, total: chunks };
}

function swap(db: DatabaseSync, generation: number, termsOf: TermsOf, version: string): { chunks: number } {
  while (copyBatch(db, generation, { termsOf, batch: BATCH }).copied === BATCH);
  const totals = db.prepare('SELECT count(*) AS chunks, coalesce(sum(length), 0) AS length FROM archive_chunks').get();
  const { generation: old } = readState(db);
  db.prepare(
    'UPDATE archive_state SET generation = ?, building = NULL, built_to = NULL, building_version = NULL, version = ?, chunks = ?, length = ?',
  ).run(generation, version, Number(totals?.chunks), Number(totals?.length));
  dropIndex(db, old);
  return { chunks: Number(totals?.chunks) };
}
