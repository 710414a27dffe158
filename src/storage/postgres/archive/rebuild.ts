// Building the index again: as another generation beside the current one, in short transactions that each remember how far they came; then one that
// adds what was saved meanwhile and makes it the current one; then the old one is deleted in steps. A kill leaves the current index in use and an
// unfinished one behind, which the next rebuild to the same version continues; another one deletes it. The state names the generation that is being built, and
// each transaction checks it while it holds the index: a gateway that lost the rebuild's lock writes nothing into what another one has finished.
import { setImmediate as nextTurn } from 'node:timers/promises';
import { OWNER } from '../../../vocabulary/memory-scope.ts';
import { lengthOf, type RebuildOptions, type TermsOf } from '../../archive.ts';
import { indexedRow } from '../../archive-rows.ts';
import { StorageError } from '../../storage.ts';
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
  const { query, transaction } = database;
  const begun = await begin(database, tables, version);
  const { generation } = begun;
  let builtTo: number | undefined = begun.builtTo;
  let done = builtTo === 0 ? 0 : await countUpTo(query, tables, builtTo);
  for (;;) {
    signal?.throwIfAborted();
    const rows = await missingChunks(query, tables, { generation, after: builtTo, limit: batch });
    const terms = rows.map(termsFor(termsOf));
    builtTo = await transaction((inside) => write(inside, tables, generation, terms));
    if (builtTo === undefined) return overtaken(query, tables, version);
    done += rows.length;
    const { chunks: total } = await readTotals(query, tables, OWNER);
    onProgress?.({ done: Math.min(done, total), total });
    if (rows.length < batch) break;
    await nextTurn();
  }
  const old = await transaction((inside) => swap(inside, tables, { generation, version, termsOf }));
  if (old === undefined) return overtaken(query, tables, version);
  await deleteGeneration(database, tables, old);
  return countAll(query, tables);
}

async function countAll(query: Query, tables: ArchiveTables): Promise<{ chunks: number }> {
  const { chunks } = await readTotals(query, tables, OWNER);
  return { chunks };
}

/** Another gateway took the lock meanwhile. What it finished is as good as our own. */
async function overtaken(query: Query, tables: ArchiveTables, version: string): Promise<{ chunks: number }> {
  const state = await readState(query, tables);
  if (state.version === version && state.building === null) return countAll(query, tables);
  throw new StorageError('STORAGE_LOCK_LOST', 'another gateway rebuilds the index of memory: wait until it is done');
}

/** The generation that is built, and how far: one that was begun before, or a new one. */
async function begin(
  database: PostgresDatabase,
  tables: ArchiveTables,
  version: string,
): Promise<{ generation: number; builtTo: number }> {
  const { generation, builtTo, current } = await database.transaction(async (query) => {
    const state = await holdIndex(query, tables);
    const { generation: current, building } = state;
    if (building !== null && state.building_version === version)
      return { generation: building, builtTo: state.built_to ?? 0, current };
    const next = Math.max(current, building ?? 0) + 1;
    await query(`UPDATE ${tables.state} SET building = $1, built_to = 0, building_version = $2`, [next, version]);
    return { generation: next, builtTo: 0, current };
  });
  if (builtTo > 0) return { generation, builtTo };
  // What an earlier rebuild left behind.
  const rows = await database.transaction(
    (query) =>
      query<{ generation: number }>(
        `SELECT DISTINCT generation FROM ${tables.terms} WHERE generation NOT IN ($1, $2)`,
        [current, generation],
      ),
    { isLong: true },
  );
  for (const row of rows) await deleteGeneration(database, tables, row.generation);
  return { generation, builtTo };
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
  { generation, after, limit }: { generation: number; after: number; limit: number | null },
): Promise<Record<string, unknown>[]> {
  return query(
    `SELECT c.id, c.scope, c.length, c.context, c.text, d.date, d.speaker
     FROM ${tables.chunks} c JOIN ${tables.documents} d ON d.key = c.document
     WHERE c.id > $2 AND NOT EXISTS (SELECT 1 FROM ${tables.terms} t WHERE t.chunk = c.id AND t.generation = $1)
     ORDER BY c.id LIMIT $3`,
    [generation, after, limit],
  );
}

/**
 * Returns up to which chunk the generation is whole from then on: chunks that appear later have higher numbers, because the index is held. Undefined: it is
 * not built any more. Chunks that are gone by now, or are in it already, are left out.
 */
async function write(
  query: Query,
  tables: ArchiveTables,
  generation: number,
  chunks: readonly IndexedTerms[],
): Promise<number | undefined> {
  const { building, built_to } = await holdIndex(query, tables);
  if (building !== generation) return undefined;
  const last = chunks.at(-1)?.chunk;
  if (last === undefined) return built_to ?? 0;
  const lengths = new Map(chunks.map(({ chunk, terms }) => [chunk, lengthOf(terms)]));
  const there = await query<{ id: number; scope: string; length: number }>(
    `SELECT c.id, c.scope, c.length FROM ${tables.chunks} c WHERE c.id = ANY ($1::bigint[])
       AND NOT EXISTS (SELECT 1 FROM ${tables.terms} t WHERE t.chunk = c.id AND t.generation = $2)`,
    [chunks.map(({ chunk }) => chunk), generation],
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
  // One with a lower number may have been committed since they were read: it is the next one.
  const [row] = await query<{ built_to: number }>(
    `UPDATE ${tables.state} SET built_to = coalesce(
       (SELECT min(c.id) - 1 FROM ${tables.chunks} c WHERE c.id > $1 AND c.id <= $2
          AND NOT EXISTS (SELECT 1 FROM ${tables.terms} t WHERE t.chunk = c.id AND t.generation = $3)),
       greatest($1, $2)) RETURNING built_to`,
    [built_to ?? 0, last, generation],
  );
  return row?.built_to;
}

/** Returns the generation that was in use; undefined where another gateway has finished or begun one since. */
async function swap(
  query: Query,
  tables: ArchiveTables,
  { generation, version, termsOf }: { generation: number; version: string; termsOf: TermsOf },
): Promise<number | undefined> {
  const { generation: old, building, built_to } = await holdIndex(query, tables);
  if (building !== generation) return undefined;
  const rows = await missingChunks(query, tables, { generation, after: built_to ?? 0, limit: null });
  await write(query, tables, generation, rows.map(termsFor(termsOf)));
  await query(
    `UPDATE ${tables.state} SET generation = $1, version = $2, building = NULL, built_to = NULL, building_version = NULL`,
    [generation, version],
  );
  return old;
}

/** The postings first: until they are gone, the terms say that there are some. */
async function deleteGeneration(
  { transaction }: PostgresDatabase,
  tables: ArchiveTables,
  generation: number,
): Promise<void> {
  for (const table of [tables.postings, tables.terms]) {
    const statement = `WITH gone AS (
         DELETE FROM ${table} WHERE ctid IN (SELECT ctid FROM ${table} WHERE generation = $1 LIMIT ${DELETED_AT_ONCE}) RETURNING 1
       )
       SELECT count(*) AS count FROM gone`;
    for (let deleted = 1; deleted > 0; ) {
      const [row] = await transaction((query) => query<{ count: number }>(statement, [generation]), { isLong: true });
      deleted = row?.count ?? 0;
    }
  }
}

async function countUpTo(query: Query, tables: ArchiveTables, last: number): Promise<number> {
  const [row] = await query<{ count: number }>(`SELECT count(*) AS count FROM ${tables.chunks} WHERE id <= $1`, [last]);
  return row?.count ?? 0;
}
