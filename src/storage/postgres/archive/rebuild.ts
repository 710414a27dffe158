// Building the index again: as another generation beside the current one, in short transactions, each of which remembers how far it came; then one that
// adds what was saved meanwhile and makes it the current one; then the old one is deleted in steps. A kill leaves the current index in use and an
// unfinished one behind, which the next rebuild to the same version continues; another one deletes it.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OWNER } from '../../../vocabulary/memory-scope.ts';
import { lengthOf, type RebuildOptions, type TermsOf } from '../../archive.ts';
import { indexedRow } from '../../archive-rows.ts';
import type { PostgresDatabase, Query } from '../database.ts';
import { holdIndex, readState } from './index-lock.ts';
import { indexChunks } from './index-terms.ts';
import type { ArchiveTables } from './tables.ts';
import { addToTotals, readTotals } from './totals.ts';

const BATCH = 500;
const DELETED_AT_ONCE = 20_000;

/** The caller holds the rebuild's lock. */
export async function rebuildIndex(
  database: PostgresDatabase,
  tables: ArchiveTables,
  termsOf: TermsOf,
  { version, batch = BATCH, signal, onProgress }: RebuildOptions,
): Promise<{ chunks: number }> {
  const { query } = database;
  const generation = await begin(database, tables, version);
  let done = await countDone(query, tables, generation);
  for (;;) {
    signal?.throwIfAborted();
    const rows = await missingChunks(query, tables, generation, batch);
    const terms = rows.map(termsFor(termsOf));
    await database.transaction(async (inside) => {
      await holdIndex(inside, tables);
      await write(inside, tables, generation, terms);
    });
    done += rows.length;
    const { chunks: total } = await readTotals(query, tables, OWNER);
    onProgress?.({ done: Math.min(done, total), total });
    if (rows.length < batch) break;
    await nextTurn();
  }
  const old = await database.transaction((inside) => swap(inside, tables, { generation, version, termsOf }));
  await deleteGeneration(database, tables, old);
  return readTotals(query, tables, OWNER).then(({ chunks }) => ({ chunks }));
}

/** The generation that is built: one that was begun before, or a new one. */
async function begin(database: PostgresDatabase, tables: ArchiveTables, version: string): Promise<number> {
  const state = await readState(database.query, tables);
  if (state.building !== null && state.building_version === version) return state.building;
  const next = Math.max(state.generation, state.building ?? 0) + 1;
  await database.transaction(async (query) => {
    await holdIndex(query, tables);
    await query(`UPDATE ${tables.state} SET building = $1, built_to = 0, building_version = $2`, [next, version]);
  });
  // What an earlier rebuild left behind.
  const rows = await database.query<{ generation: number }>(
    `SELECT DISTINCT generation FROM ${tables.terms} WHERE generation NOT IN ($1, $2)`,
    [state.generation, next],
  );
  for (const { generation } of rows) await deleteGeneration(database, tables, generation);
  return next;
}

interface IndexedTerms {
  chunk: number;
  scope: string;
  terms: readonly string[];
}

const termsFor =
  (termsOf: TermsOf) =>
  ({ scope, ...row }: Record<string, unknown>): IndexedTerms => {
    const indexed = indexedRow(row);
    return { chunk: Number(indexed.id), scope: String(scope), terms: termsOf(indexed) };
  };

/** The oldest that are not in this generation; `limit` null: all of them. */
function missingChunks(
  query: Query,
  tables: ArchiveTables,
  generation: number,
  limit: number | null,
): Promise<Record<string, unknown>[]> {
  return query(
    `SELECT c.id, c.scope, c.length, c.context, c.text, d.date, d.speaker
     FROM ${tables.chunks} c JOIN ${tables.documents} d ON d.key = c.document
     WHERE NOT EXISTS (SELECT 1 FROM ${tables.terms} t WHERE t.chunk = c.id AND t.generation = $1)
       AND ($2::bigint IS NULL OR c.id > (SELECT coalesce(built_to, 0) FROM ${tables.state}))
     ORDER BY c.id LIMIT $2`,
    [generation, limit],
  );
}

/** While the index is held: chunks that are gone by now are left out. */
async function write(
  query: Query,
  tables: ArchiveTables,
  generation: number,
  chunks: readonly IndexedTerms[],
): Promise<void> {
  if (chunks.length === 0) return;
  const lengths = new Map(chunks.map(({ chunk, terms }) => [chunk, lengthOf(terms)]));
  const there = await query<{ id: number; scope: string; length: number }>(
    `SELECT id, scope, length FROM ${tables.chunks} WHERE id = ANY ($1::bigint[])`,
    [chunks.map(({ chunk }) => chunk)],
  );
  const ids = new Set(there.map(({ id }) => id));
  await indexChunks(
    query,
    tables,
    generation,
    chunks.filter(({ chunk }) => ids.has(chunk)),
  );
  const changed = there.filter(({ id, length }) => lengths.get(id) !== length);
  await query(
    `UPDATE ${tables.chunks} c SET length = new.length FROM unnest($1::bigint[], $2::integer[]) AS new (id, length) WHERE c.id = new.id`,
    [changed.map(({ id }) => id), changed.map(({ id }) => lengths.get(id) ?? 0)],
  );
  await addToTotals(
    query,
    tables,
    changed.map(({ id, scope, length }) => ({ scope, chunks: 0, length: (lengths.get(id) ?? 0) - length })),
  );
  await query(`UPDATE ${tables.state} SET built_to = greatest(built_to, $1)`, [chunks.at(-1)?.chunk]);
}

/** Returns the generation that is no longer used. */
async function swap(
  query: Query,
  tables: ArchiveTables,
  { generation, version, termsOf }: { generation: number; version: string; termsOf: TermsOf },
): Promise<number> {
  const { generation: old } = await holdIndex(query, tables);
  await write(query, tables, generation, (await missingChunks(query, tables, generation, null)).map(termsFor(termsOf)));
  await query(
    `UPDATE ${tables.state} SET generation = $1, version = $2, building = NULL, built_to = NULL, building_version = NULL`,
    [generation, version],
  );
  return old;
}

/** The postings first: until they are gone, the terms say that there are some. */
async function deleteGeneration({ query }: PostgresDatabase, tables: ArchiveTables, generation: number): Promise<void> {
  for (const table of [tables.postings, tables.terms]) {
    for (let deleted = 1; deleted > 0; ) {
      const [row] = await query<{ count: number }>(
        `WITH gone AS (
           DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM ${table} WHERE generation = $1 LIMIT ${DELETED_AT_ONCE}) RETURNING 1
         )
         SELECT count(*) AS count FROM gone`,
        [generation],
      );
      deleted = row?.count ?? 0;
    }
  }
}

async function countDone(query: Query, tables: ArchiveTables, generation: number): Promise<number> {
  const [row] = await query<{ count: number }>(`SELECT count(*) AS count FROM ${tables.terms} WHERE generation = $1`, [
    generation,
  ]);
  return row?.count ?? 0;
}
