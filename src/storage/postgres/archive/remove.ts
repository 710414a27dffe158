// Forgetting: the text, its terms in every index and its vectors go together.
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import type { Query } from '../database.ts';
import { shareIndex } from './index-lock.ts';
import { unindexChunks } from './index-terms.ts';
import type { ArchiveTables } from './tables.ts';
import { addToTotals } from './totals.ts';
import { removeVectors } from './vectors.ts';
import { isVisible, scopesOf } from './visible.ts';

/** Within a transaction of the caller's. Returns how many documents there were. */
export async function deleteDocuments(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  ids: readonly string[],
): Promise<number> {
  if (ids.length === 0) return 0;
  await shareIndex(query, tables);
  const documents = await query<{ key: number; id: string; next: string | null; until: string | null }>(
    `SELECT d.key, d.id, d.superseded_by AS next, d.valid_until AS until FROM ${tables.documents} d
     WHERE d.id = ANY ($1::text[]) AND ${isVisible('d', 2)} ORDER BY d.key FOR UPDATE`,
    [[...new Set(ids)], scopesOf(reader)],
  );
  if (documents.length === 0) return 0;
  const keys = documents.map(({ key }) => key);
  // Locked first: another gateway that puts a vector waits, and then finds the chunk gone.
  const chunks = await query<{ id: number; scope: string; length: number }>(
    `SELECT id, scope, length FROM ${tables.chunks} WHERE document = ANY ($1::bigint[]) ORDER BY id FOR UPDATE`,
    [keys],
  );
  const chunkIds = chunks.map(({ id }) => id);
  await unindexChunks(query, tables, chunkIds);
  await removeVectors(query, tables, chunkIds);
  // What a removed document had replaced is replaced by the one that had replaced it, where there is one.
  for (const { id, next, until } of documents)
    if (next !== null)
      await query(`UPDATE ${tables.documents} SET superseded_by = $1, valid_until = $2 WHERE superseded_by = $3`, [
        next,
        until,
        id,
      ]);
  await query(`DELETE FROM ${tables.chunks} WHERE document = ANY ($1::bigint[])`, [keys]);
  await query(`DELETE FROM ${tables.documents} WHERE key = ANY ($1::bigint[])`, [keys]);
  const gone = documents.map(({ id }) => id);
  await query(
    `UPDATE ${tables.documents} SET superseded_by = NULL, valid_until = NULL WHERE superseded_by = ANY ($1::text[])`,
    [gone],
  );
  await query(`DELETE FROM ${tables.factSources} WHERE document = ANY ($1::text[])`, [gone]);
  await addToTotals(
    query,
    tables,
    chunks.map(({ scope, length }) => ({ scope, chunks: -1, length: -length })),
  );
  return documents.length;
}
