// How many chunks there are for a reader, how long they are, and how many have a vector: sums that each write keeps up to date.
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import type { Query } from '../database.ts';
import type { ArchiveTables } from './tables.ts';
import { isVisible, scopesOf } from './visible.ts';

/** The sums of chunks, where a model's key is expected. */
export const ALL_CHUNKS = 0;
/** Rows of one sum. */
const SLOTS = 8;

export interface Total {
  scope: string;
  chunks: number;
  length: number;
}

export async function readTotals(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  model = ALL_CHUNKS,
): Promise<{ chunks: number; length: number }> {
  const [row] = await query<{ chunks: string | number; length: string | number }>(
    `SELECT coalesce(sum(t.chunks), 0) AS chunks, coalesce(sum(t.length), 0) AS length
     FROM ${tables.totals} t WHERE t.model = $1 AND ${isVisible('t', 2)}`,
    [model, scopesOf(reader)],
  );
  return { chunks: Number(row?.chunks ?? 0), length: Number(row?.length ?? 0) };
}

/** In the order of scopes, so that two writers never wait for each other in a circle. */
export async function addToTotals(
  query: Query,
  tables: ArchiveTables,
  added: readonly Total[],
  model = ALL_CHUNKS,
): Promise<void> {
  const changed = added.filter(({ chunks, length }) => chunks !== 0 || length !== 0);
  if (changed.length === 0) return;
  const column = <Name extends keyof Total>(name: Name): Total[Name][] => changed.map((each) => each[name]);
  await query(
    `INSERT INTO ${tables.totals} AS kept (model, scope, slot, chunks, length)
     SELECT $1, scope, pg_backend_pid() % ${SLOTS}, sum(chunks), sum(length)
     FROM unnest($2::text[], $3::bigint[], $4::bigint[]) AS added (scope, chunks, length) GROUP BY scope ORDER BY scope
     ON CONFLICT (model, scope, slot) DO UPDATE
     SET chunks = kept.chunks + excluded.chunks, length = kept.length + excluded.length`,
    [model, column('scope'), column('chunks'), column('length')],
  );
}
