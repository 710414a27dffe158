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
  /** PGlite takes long for each vector. */
  const FEW = 40;
  const random = seededRandom(7);
  const vectors = Array.from({ length: 400 }, () => Float32Array.from({ length: DIMENSION }, () => random() - 0.5));

  async function fill(count = vectors.length): Promise<number[]> {
    const archive = open().as(OWNER);
    await archive.add(
      vectors.slice(0, count).map((_, index) => documentOf(`d${index}`, `text ${index}`)),
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
    expect(await near.choose(model, wanted, { reader: OWNER, limit: 7 })).toHaveLength(7);
    expect(await near.choose(model, wanted, { reader: readerWithin('person:t:1'), limit: 7 })).toBeUndefined();
    expect(await open().as(readerWithin('person:t:1')).nearest('m', wanted, 5)).toEqual([]);
    await empty();
  });

  it('takes over vectors from before it was there, of every model', async () => {
    const chunks = await fill(FEW);
    const archive = open().as(OWNER);
    await archive.putVectors(
      'n',
      chunks.map((id, index) => ({ id, vector: vectors[FEW - 1 - index] ?? new Float32Array(DIMENSION) })),
    );
    await database.query('UPDATE lainclaw.archive_vectors SET embedding = NULL');
    await setUpVectors(database);
    expect(await database.query('SELECT 1 FROM lainclaw.archive_vectors WHERE embedding IS NULL')).toEqual([]);
    for (const [model, index] of [['m', 5] as const, ['n', FEW - 6] as const]) {
      const hits = await archive.nearest(model, vectors[5] ?? new Float32Array(DIMENSION), 3);
      expect(hits[0]?.id).toBe(chunks[index]);
    }
    await empty();
  });

  it('finds vectors of one model behind nearer ones of another, through the index', async () => {
    const archive = open().as(OWNER);
    const chunks = await fill(FEW);
    const [wanted = new Float32Array(DIMENSION)] = vectors;
    // All of the other model are where the question is, and those of this one on the other side.
    await archive.putVectors(
      'near',
      chunks.map((id) => ({ id, vector: wanted.map((value) => value + random() / 10) })),
    );
    await archive.putVectors(
      'far',
      chunks.slice(0, 12).map((id) => ({ id, vector: wanted.map((value) => random() / 10 - value) })),
    );
    await database.query('SET enable_seqscan = off; SET enable_bitmapscan = off; SET enable_sort = off');
    expect(await archive.nearest('far', wanted, 2)).toHaveLength(2);
    await database.query('RESET enable_seqscan; RESET enable_bitmapscan; RESET enable_sort');
    await empty();
  });

  it('is not used while vectors have no index, and the status says so', async () => {
    const chunks = await fill(FEW);
    await database.query('DROP INDEX lainclaw.archive_vectors_384');
    await database.query('UPDATE lainclaw.archive_vectors SET embedding = NULL');
    const archive = open().as(OWNER);
    const hits = await archive.nearest('m', vectors[5] ?? new Float32Array(DIMENSION), 3);
    expect(hits[0]?.id).toBe(chunks[5]);
    expect(await vectorSupport(database.query)).toBe('available');
    await setUpVectors(database);
    expect(await vectorSupport(database.query)).toBe('pgvector');
    await empty();
  });

  it('says why nothing is found by meaning only where an index is missing', async () => {
    await fill(FEW);
    await database.query('UPDATE lainclaw.archive_totals SET chunks = 300000 WHERE model > 0');
    expect(await open().as(OWNER).whyNotNearest?.('m')).toBeUndefined();
    await database.query('DROP INDEX lainclaw.archive_vectors_384');
    expect(await open().as(OWNER).whyNotNearest?.('m')).toContain('pgvector');
    await setUpVectors(database);
    await empty();
  });
});
