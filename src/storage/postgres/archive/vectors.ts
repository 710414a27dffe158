// Vectors beside the chunks, by model, as the local archive keeps them: one bit a dimension finds the nearest few hundred, one byte a dimension puts those in
// order. Without pgvector, a process keeps the bits between searches (kept-vectors.ts).
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import type { IndexProgress, Pending, VectorHit } from '../../archive.ts';
import { pendingOf } from '../../archive-rows.ts';
import { nearestByBits } from '../../nearest-by-bits.ts';
import { bytesOfBits, cosine, quantise, RESCORED } from '../../quantise.ts';
import { StorageError } from '../../storage.ts';
import type { PostgresDatabase, Query } from '../database.ts';
import { shareIndex } from './index-lock.ts';
import type { KeptVectors } from './kept-vectors.ts';
import type { ArchiveTables, VectorModel } from './tables.ts';
import { addToTotals, readTotals } from './totals.ts';
import { isVisible, scopesOf } from './visible.ts';

/** Chunks looked at in one go for one without a vector. */
const LOOKED_AT = 5_000;
const DROPPED_AT_ONCE = 1_000;
const PUT_AT_ONCE = 1_000;
/** So many vectors are compared in the process; with more, meaning is searched only with pgvector. */
const MOST_EXACT = 200_000;

async function findModel(query: Query, { models }: ArchiveTables, name: string): Promise<VectorModel | undefined> {
  const [model] = await query<VectorModel>(`SELECT key, dimension, changes FROM ${models} WHERE name = $1`, [name]);
  return model;
}

export async function pendingChunks(
  query: Query,
  tables: ArchiveTables,
  name: string,
  { after, limit }: { after: number; limit: number },
): Promise<Pending> {
  const model = (await findModel(query, tables, name))?.key ?? -1;
  const last = after + LOOKED_AT;
  const rows = await query(
    `SELECT c.id, c.context, c.text FROM ${tables.chunks} c
     WHERE c.id > $1 AND c.id <= $2 AND NOT EXISTS (SELECT 1 FROM ${tables.vectors} v WHERE v.model = $3 AND v.chunk = c.id)
     ORDER BY c.id LIMIT $4`,
    [after, last, model, limit],
  );
  const chunks = rows.map(pendingOf);
  const upTo = rows.length === limit ? chunks.at(-1)?.id : last;
  const more = await query(`SELECT 1 FROM ${tables.chunks} WHERE id > $1 LIMIT 1`, [upTo ?? last]);
  return { chunks, upTo: more.length > 0 ? upTo : undefined };
}

export async function putVectors(
  { transaction }: PostgresDatabase,
  tables: ArchiveTables,
  name: string,
  vectors: readonly { id: number; vector: Float32Array }[],
): Promise<void> {
  const dimension = vectors[0]?.vector.length;
  if (dimension === undefined) return;
  const small = vectors.map(({ id, vector }) => ({ id, ...quantise(vector, bytesOfBits(vector.length)) }));
  await transaction(async (query) => {
    await shareIndex(query, tables);
    // The chunks first, as when they are removed: none of them goes before its vector is there to go with it.
    await query(`SELECT 1 FROM ${tables.chunks} WHERE id = ANY ($1::bigint[]) ORDER BY id FOR KEY SHARE`, [
      small.map(({ id }) => id),
    ]);
    // The row of the model is locked: one writer of its vectors at a time.
    const [model] = await query<VectorModel>(
      `INSERT INTO ${tables.models} AS m (name, dimension, changes) VALUES ($1, $2, 1)
       ON CONFLICT (name) DO UPDATE SET changes = m.changes + 1 RETURNING key, dimension, changes`,
      [name, dimension],
    );
    if (!model || vectors.some(({ vector }) => vector.length !== model.dimension)) {
      throw new StorageError(
        'STORAGE_FAILED',
        `the embedding model "${name}" gave vectors of another length than before (${model?.dimension}): it is another model; "lainclaw memory embed --all" starts again with it`,
      );
    }
    for (let from = 0; from < small.length; from += PUT_AT_ONCE) {
      const some = small.slice(from, from + PUT_AT_ONCE);
      const added = await query<{ scope: string }>(
        `INSERT INTO ${tables.vectors} (model, chunk, scope, bits, vector)
         SELECT $1, c.id, c.scope, given.bits, given.vector
         FROM unnest($2::bigint[], $3::bytea[], $4::bytea[]) AS given (chunk, bits, vector) JOIN ${tables.chunks} c ON c.id = given.chunk
         ON CONFLICT DO NOTHING RETURNING scope`,
        [
          model.key,
          some.map(({ id }) => id),
          some.map(({ bits }) => Buffer.from(bits)),
          some.map(({ bytes }) => Buffer.from(bytes)),
        ],
      );
      await addToTotals(
        query,
        tables,
        added.map(({ scope }) => ({ scope, chunks: 1, length: 0 })),
        model.key,
      );
    }
  });
}

/** Within a transaction of the caller's. */
export async function removeVectors(query: Query, tables: ArchiveTables, chunks: readonly number[]): Promise<void> {
  const gone = await query<{ model: number; scope: string }>(
    `DELETE FROM ${tables.vectors} WHERE chunk = ANY ($1::bigint[]) RETURNING model, scope`,
    [chunks],
  );
  for (const [model, own] of [...Map.groupBy(gone, (row) => row.model)].toSorted(([a], [b]) => a - b)) {
    await query(`UPDATE ${tables.models} SET changes = changes + 1 WHERE key = $1`, [model]);
    await addToTotals(
      query,
      tables,
      own.map(({ scope }) => ({ scope, chunks: -1, length: 0 })),
      model,
    );
  }
}

export interface NearestRequest {
  reader: MemoryReader;
  name: string;
  vector: Float32Array;
  limit: number;
}

/** Chooses the chunks that are worth comparing: undefined where it cannot. */
export type ChooseNear = (
  model: VectorModel,
  vector: Float32Array,
  request: { reader: MemoryReader; limit: number },
) => Promise<number[] | undefined>;

export async function nearestChunks(
  query: Query,
  tables: ArchiveTables,
  choices: { kept: KeptVectors; chooseNear: ChooseNear },
  { reader, name, vector, limit }: NearestRequest,
): Promise<VectorHit[]> {
  const model = await findModel(query, tables, name);
  if (!model || model.dimension !== vector.length) return [];
  const near = await choices.chooseNear(model, vector, { reader, limit: limit * RESCORED });
  if (near) return (await rescored(query, tables, { model, reader, vector, ids: near })).slice(0, limit);
  const { chunks } = await readTotals(query, tables, reader, model.key);
  if (chunks > MOST_EXACT) return [];
  // A reader of some scopes has few vectors: all of them are compared as they are.
  if (reader.sees !== 'everything')
    return (await rescored(query, tables, { model, reader, vector, ids: undefined })).slice(0, limit);
  const { bits } = quantise(vector, bytesOfBits(model.dimension));
  const ids = nearestByBits([await choices.kept.blockOf(model)], bits, limit * RESCORED, undefined);
  return (await rescored(query, tables, { model, reader, vector, ids })).slice(0, limit);
}

/** Why `nearestChunks` found nothing although there are vectors; undefined where it is not known. */
export async function whyNotNearest(
  query: Query,
  tables: ArchiveTables,
  pgvector: { isUsed(dimension: number): Promise<boolean> } | undefined,
  { reader, name }: Pick<NearestRequest, 'reader' | 'name'>,
): Promise<string | undefined> {
  const model = await findModel(query, tables, name);
  if (!model) return undefined;
  const { chunks } = await readTotals(query, tables, reader, model.key);
  if (chunks <= MOST_EXACT) return undefined;
  const many = `more than ${MOST_EXACT} texts have a vector`;
  if (reader.sees !== 'everything') return `${many}, too many to compare one by one`;
  if (await pgvector?.isUsed(model.dimension)) return undefined;
  return `${many}, which needs pgvector in the database (docs/store.md)`;
}

export async function similarChunks(
  query: Query,
  tables: ArchiveTables,
  { reader, name, vector, ids }: Omit<NearestRequest, 'limit'> & { ids: readonly number[] },
): Promise<VectorHit[]> {
  const model = await findModel(query, tables, name);
  if (!model || model.dimension !== vector.length || ids.length === 0) return [];
  return rescored(query, tables, { model, reader, vector, ids });
}

/** `ids` undefined: every vector that the reader sees. */
async function rescored(
  query: Query,
  tables: ArchiveTables,
  {
    model,
    reader,
    vector,
    ids,
  }: { model: VectorModel; reader: MemoryReader; vector: Float32Array; ids: readonly number[] | undefined },
): Promise<VectorHit[]> {
  const rows = await query<{ chunk: number; vector: Buffer }>(
    `SELECT v.chunk, v.vector FROM ${tables.vectors} v
     WHERE v.model = $1 AND ($2::bigint[] IS NULL OR v.chunk = ANY ($2)) AND ${isVisible('v', 3)}`,
    [model.key, ids ?? null, scopesOf(reader)],
  );
  return rows
    .map((row) => ({ id: row.chunk, similarity: cosine(vector, row.vector) }))
    .sort((a, b) => b.similarity - a.similarity || a.id - b.id);
}

export async function embeddedCount(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  name: string,
): Promise<IndexProgress> {
  const model = (await findModel(query, tables, name))?.key ?? -1;
  const [{ chunks: done }, { chunks: total }] = await Promise.all([
    readTotals(query, tables, reader, model),
    readTotals(query, tables, reader),
  ]);
  return { done, total };
}

/** Drops some of another model's vectors, and the model when it has none left. Returns whether there is more to drop. */
export function dropOtherVectors(
  { transaction }: PostgresDatabase,
  tables: ArchiveTables,
  name: string | undefined,
): Promise<boolean> {
  return transaction(async (query) => {
    const [other] = await query<VectorModel>(
      `SELECT key, dimension, changes FROM ${tables.models} WHERE name <> $1 ORDER BY key LIMIT 1 FOR UPDATE`,
      [name ?? ''],
    );
    if (!other) return false;
    const gone = await query<{ scope: string }>(
      `DELETE FROM ${tables.vectors} WHERE model = $1 AND chunk IN (
         SELECT chunk FROM ${tables.vectors} WHERE model = $1 ORDER BY chunk LIMIT ${DROPPED_AT_ONCE}) RETURNING scope`,
      [other.key],
    );
    if (gone.length === 0) {
      await query(`DELETE FROM ${tables.totals} WHERE model = $1`, [other.key]);
      await query(`DELETE FROM ${tables.models} WHERE key = $1`, [other.key]);
      return true;
    }
    await query(`UPDATE ${tables.models} SET changes = changes + 1 WHERE key = $1`, [other.key]);
    await addToTotals(
      query,
      tables,
      gone.map(({ scope }) => ({ scope, chunks: -1, length: 0 })),
      other.key,
    );
    return true;
  });
}
