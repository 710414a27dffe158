// pgvector is not in Debian's PostgreSQL: its SQL is tested with PGlite.
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeArchive } from '../../../../test/conformance/archive.ts';
import { documentOf, termsOf } from '../../../../test/conformance/archive-agreement.ts';
import { pgliteDatabase } from '../../../../test/support/pglite-database.ts';
import { EMPTY_ARCHIVE } from '../../../../test/support/postgres-archive.ts';
import { seededRandom } from '../../../../test/support/random.ts';
import { newId } from '../../../lib/new-id.ts';
import { OWNER, readerWithin } from '../../../vocabulary/memory-scope.ts';
import type { VectorHit } from '../../archive.ts';
import type { PostgresDatabase } from '../database.ts';
import { createPostgresLocks } from '../leases.ts';
import { readStoreStatus } from '../store-status.ts';
import { createNearWithPgvector, setUpVectors, vectorSupport } from './pgvector.ts';
import { createPostgresArchive } from './postgres-archive.ts';

let database: PostgresDatabase;
let locks: ReturnType<typeof createPostgresLocks>;
beforeAll(async () => {
  database = await pgliteDatabase();
  locks = createPostgresLocks({ query: database.query, renewalQuery: database.query, newId });
});
afterAll(async () => {
  await locks.close();
  await database.close();
});

const open = () => createPostgresArchive({ database, locks });
const empty = async (): Promise<void> => void (await database.query(EMPTY_ARCHIVE));

describeArchive('PGlite with pgvector', async () => ({ open, remove: empty }), { runs: 2 });

describe('an archive with pgvector', () => {
  const DIMENSION = 384;
  const random = seededRandom(7);
  const vectors = Array.from({ length: 400 }, () => Float32Array.from({ length: DIMENSION }, () => random() - 0.5));

  async function fill(): Promise<number[]> {
    const archive = open().as(OWNER);
    await archive.add(
      vectors.map((_, index) => documentOf(`d${index}`, `text ${index}`)),
      termsOf,
    );
    const { chunks } = await archive.pending('m', { after: 0, limit: 1_000 });
    await archive.putVectors(
      'm',
      chunks.map(({ id }, index) => ({ id, vector: vectors[index] ?? new Float32Array(DIMENSION) })),
    );
    return chunks.map(({ id }) => id);
  }
  const ids = (hits: readonly VectorHit[]): number[] => hits.map(({ id }) => id);

  it('is set up by the migration, and the status says so', async () => {
    expect(await vectorSupport(database.query)).toBe('pgvector');
    expect(await readStoreStatus(database)).toMatchObject({ vectors: 'pgvector' });
  });

  it('finds the nearest as comparing all of them does, through the index', async () => {
    const chunks = await fill();
    const archive = open().as(OWNER);
    let reached = 0;
    for (const index of [0, 57, 399]) {
      const wanted = vectors[index] ?? new Float32Array(DIMENSION);
      const all = await archive.similar('m', wanted, chunks);
      const nearest = await archive.nearest('m', wanted, 10);
      expect(nearest[0]?.id).toBe(chunks[index]);
      reached += ids(nearest).filter((id) => ids(all).slice(0, 10).includes(id)).length;
    }
    expect(reached).toBeGreaterThanOrEqual(28);
    const plan = await database.transaction(async (query) => {
      await query('SET LOCAL enable_seqscan = off');
      return query(
        `EXPLAIN SELECT chunk FROM lainclaw.archive_vectors WHERE octet_length(vector) = 384
         ORDER BY embedding::lainclaw.halfvec(384) OPERATOR(lainclaw.<=>) '[${vectors[0]?.join(',')}]'::lainclaw.halfvec(384) LIMIT 5`,
      );
    });
    expect(JSON.stringify(plan)).toContain('archive_vectors_384');
    await empty();
  });

  it('chooses for a reader who sees everything alone', async () => {
    await fill();
    const near = createNearWithPgvector(database);
    const [model] = await database.query<{ key: number; dimension: number; changes: number }>(
      'SELECT key, dimension, changes FROM lainclaw.archive_models',
    );
    const wanted = vectors[3] ?? new Float32Array(DIMENSION);
    if (!model) throw new Error('there is no model');
    expect(await near(model, wanted, { reader: OWNER, limit: 7 })).toHaveLength(7);
    expect(await near(model, wanted, { reader: readerWithin('person:t:1'), limit: 7 })).toBeUndefined();
    expect(await open().as(readerWithin('person:t:1')).nearest('m', wanted, 5)).toEqual([]);
    await empty();
  });

  it('takes over vectors from before it was there', async () => {
    const chunks = await fill();
    await database.query('UPDATE lainclaw.archive_vectors SET embedding = NULL');
    await setUpVectors(database);
    const hits = await open()
      .as(OWNER)
      .nearest('m', vectors[5] ?? new Float32Array(DIMENSION), 3);
    expect(hits[0]?.id).toBe(chunks[5]);
    await empty();
  });
});
