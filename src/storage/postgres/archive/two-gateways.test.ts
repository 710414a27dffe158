// What two gateways do to one archive at the same moment. One of them stops within its transaction until the other has ended, or waits for it.
import { afterAll, afterEach, beforeEach, expect, it } from 'vitest';
import { documentOf, termsOf, vectorOf } from '../../../../test/conformance/archive-agreement.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { type TestDatabase, testDatabase } from '../../../../test/support/postgres.ts';
import { EMPTY_ARCHIVE } from '../../../../test/support/postgres-archive.ts';
import { superuser } from '../../../../test/support/postgres-cluster.ts';
import { OWNER } from '../../../vocabulary/memory-scope.ts';
import type { Archive } from '../../archive.ts';
import type { Lock } from '../../locks.ts';
import { openDatabase } from '../connect.ts';
import type { PostgresDatabase, Query } from '../database.ts';
import { createPostgresArchive } from './postgres-archive.ts';

let server: TestDatabase | undefined;
const opened: PostgresDatabase[] = [];
beforeEach(async () => {
  server ??= await testDatabase();
});
afterEach(async () => {
  for (const database of opened.splice(0)) await database.close();
  await asSuperuser(EMPTY_ARCHIVE);
});
afterAll(() => server?.drop());

async function asSuperuser(statement: string): Promise<Record<string, unknown>[]> {
  const { port, name } = server as TestDatabase;
  return superuser(port, async (client) => (await client.query<Record<string, unknown>>(statement)).rows, name);
}

/** Locks that were lost: two gateways hold the same one. */
const lostLocks = { acquire: async (): Promise<Lock> => ({ ...({} as Lock), release: async () => {} }) };

function gateway(wrap: (database: PostgresDatabase) => PostgresDatabase = (database) => database): Archive {
  const database = openDatabase({ url: (server as TestDatabase).url, connections: 3 });
  opened.push(database);
  return createPostgresArchive({ database: wrap(database), locks: lostLocks }).as(OWNER);
}

/** Waits once, after a statement that matches. */
function stopping(after: RegExp) {
  const reached = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  let hasStopped = false;
  const stoppingQuery =
    (query: Query): Query =>
    async (text, values) => {
      const rows = await query(text, values);
      if (!hasStopped && after.test(text)) {
        hasStopped = true;
        reached.resolve();
        await released.promise;
      }
      return rows as never;
    };
  const wrap = (database: PostgresDatabase): PostgresDatabase => ({
    ...database,
    query: stoppingQuery(database.query),
    transaction: (work, options) => database.transaction((inside) => work(stoppingQuery(inside)), options),
  });
  return { wrap, reached: reached.promise, release: () => released.resolve() };
}

/** Resolves when the work has ended, or waits for a lock of the other gateway. */
async function endedOrWaiting(work: Promise<unknown>): Promise<void> {
  let isEnded = false;
  const end = (): void => {
    isEnded = true;
  };
  work.then(end, end);
  await eventually(async () => {
    if (isEnded) return;
    expect(await asSuperuser('SELECT 1 FROM pg_locks WHERE NOT granted')).not.toEqual([]);
  });
}

it('a vector of a text that is forgotten at this moment goes with it', async () => {
  const stop = stopping(/DELETE FROM lainclaw\.archive_vectors/);
  const [forgetting, embedding] = [gateway(stop.wrap), gateway()];
  await embedding.add([documentOf('secret', 'a secret'), documentOf('kept', 'a kept text')], termsOf);
  const { chunks } = await embedding.pending('m', { after: 0, limit: 10 });
  const removed = forgetting.remove(['secret'], termsOf);
  await stop.reached;
  const put = embedding.putVectors(
    'm',
    chunks.map(({ id }) => ({ id, vector: vectorOf(id) })),
  );
  await endedOrWaiting(put);
  stop.release();
  await Promise.all([removed, put]);
  const left = 'SELECT 1 FROM lainclaw.archive_vectors WHERE chunk NOT IN (SELECT id FROM lainclaw.archive_chunks)';
  expect(await asSuperuser(left)).toEqual([]);
  expect(await embedding.embedded('m')).toEqual({ done: 1, total: 1 });
});

it('a text is not replaced by one that is forgotten at this moment', async () => {
  const stop = stopping(/JOIN lainclaw\.archive_documents d ON d\.hash = /);
  const [saving, forgetting] = [gateway(stop.wrap), gateway()];
  await forgetting.add([documentOf('old', 'lives in Riga'), documentOf('new', 'lives in Oslo')], termsOf);
  const saved = saving.add([{ ...documentOf('again', 'lives in Oslo'), supersedes: 'old' }], termsOf);
  await stop.reached;
  const removed = forgetting.remove(['new'], termsOf);
  await endedOrWaiting(removed);
  stop.release();
  await Promise.all([saved, removed]);
  const by = (await forgetting.get('old'))?.document.supersededBy;
  expect(by === undefined || (await forgetting.get(by)) !== undefined).toBe(true);
});

it.each([
  ['after it read what is missing', /NOT EXISTS \(SELECT 1 FROM lainclaw\.archive_terms/],
  ['before it swaps', /FROM lainclaw\.archive_totals/],
])('a rebuild that lost its lock %s leaves the index that another gateway finished', async (_, place) => {
  const stop = stopping(place);
  const [slow, other] = [gateway(stop.wrap), gateway()];
  await other.add(
    Array.from({ length: 30 }, (_, index) => documentOf(`d${index}`, `word${index} all`)),
    termsOf,
  );
  const late = slow.rebuild(termsOf, { version: '2' });
  await stop.reached;
  await other.rebuild(termsOf, { version: '2' });
  stop.release();
  await expect(late).resolves.toEqual({ chunks: 30 });
  const { ids, frequencies } = await other.candidates(['all'], 100);
  expect([ids.length, frequencies.get('all')]).toEqual([30, 30]);
});
