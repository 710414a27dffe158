// What all gateways of a database count together, with the least-privilege role.
import { expect, it } from 'vitest';
import { describeLimits } from '../../../test/conformance/limits.ts';
import { startCutProxy } from '../../../test/support/cut-proxy.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { superuser } from '../../../test/support/postgres-cluster.ts';
import { postgresSubject } from '../../../test/support/postgres-subject.ts';
import { monotonicMs } from '../../lib/monotonic.ts';
import { createBothLimits } from '../both-limits.ts';
import { createMemoryLimits } from '../memory-limits.ts';
import { openDatabase } from './connect.ts';
import { createPostgresLimits } from './limits.ts';

async function twoDoors() {
  const test = await testDatabase();
  const databases = [openDatabase({ url: test.url }), openDatabase({ url: test.url })];
  const [one, two] = databases.map(({ query }) => createPostgresLimits(query));
  if (!one || !two) throw new Error('two were opened');
  return {
    test,
    doors: [one, two] as const,
    async remove() {
      for (const limits of [one, two]) limits.close();
      await Promise.all(databases.map((database) => database.close()));
      await test.drop();
    },
  };
}

describeLimits('over the gateways of a database', twoDoors);

/** As the server sees it. */
function rows(test: TestDatabase, statement: string): Promise<Record<string, unknown>[]> {
  return superuser(test.port, async (client) => (await client.query(statement)).rows, test.name);
}

it('the place of a gateway that is lost becomes free, and addresses are not stored', async () => {
  const { test, doors, remove } = await twoDoors();
  const [one, two] = doors;
  expect(await one.places('turns', 1).enter('ann@example.org', 'place-1')).toBe(true);
  expect(await two.places('turns', 1).enter('ann@example.org', 'place-2')).toBe(false);
  await one.counter('password', { most: 1, intervalMs: 1_000 }).attempt('203.0.113.7', () => false);
  const stored = JSON.stringify(await rows(test, 'SELECT * FROM lainclaw.limits'));
  expect(stored).toContain('place-1');
  expect(stored).not.toMatch(/ann@|203\.0\.113/);
  // As if its gateway had not renewed it for half a minute.
  await rows(test, `UPDATE lainclaw.limits SET places = jsonb_build_object('place-1', 1) WHERE places ? 'place-1'`);
  expect(await two.places('turns', 1).enter('ann@example.org', 'place-2')).toBe(true);
  await remove();
});

it('what means nothing any more is removed, and what counts stays', async () => {
  const subject = await postgresSubject();
  const storage = subject.open();
  const limits = await storage.limits();
  await limits.holds.hold('old', 1);
  await limits.holds.hold('new', 600_000);
  const bot = { channel: 'local', account: 'default' };
  await storage.cluster?.countStart(bot, 'old');
  await storage.cluster?.countStart(bot, 'new');
  const database = openDatabase({ url: subject.url });
  await database.query(`UPDATE lainclaw.person_starts SET started_at = now() - interval '2 days' WHERE person = 'old'`);
  await database.query(
    `UPDATE lainclaw.limits SET until = now() - interval '2 minutes' WHERE until < now() + interval '5 minutes'`,
  );
  await storage.cluster?.exchange.prune();
  expect(await database.query('SELECT person FROM lainclaw.person_starts')).toEqual([{ person: 'new' }]);
  expect(await database.query('SELECT until > now() AS "isHeld" FROM lainclaw.limits')).toEqual([{ isHeld: true }]);
  await database.close();
  await storage.close();
  await subject.remove();
});

it('while the network to the database is cut, a gateway counts alone and admits a right secret; afterwards they count together', async () => {
  const test = await testDatabase();
  const proxy = await startCutProxy(test.port);
  const url = new URL(test.url);
  url.port = String(proxy.port);
  const database = openDatabase({ url: url.href });
  let skippedMs = 0;
  const now = (): number => monotonicMs() + skippedMs;
  const shared = createPostgresLimits(database.query);
  const limits = createBothLimits({ own: createMemoryLimits(now), shared, now });
  const allowance = { most: 3, intervalMs: 10 * 60_000 };
  const counter = limits.counter('password', allowance);
  expect(await counter.attempt('10.0.0.1', () => false)).toBe(false);
  proxy.cut();
  expect(await counter.attempt('10.0.0.1', () => true)).toBe(true);
  expect(await counter.attempt('10.0.0.1', () => false)).toBe(false);
  expect(await counter.attempt('10.0.0.1', () => false)).toBe(false);
  expect(await counter.attempt('10.0.0.1', () => true)).toBeGreaterThan(0);
  expect(await counter.attempt('10.0.0.2', () => true)).toBe(true);
  proxy.restore();
  // The time for which it does not ask after that.
  skippedMs = 60_000;
  const direct = openDatabase({ url: test.url });
  const other = createPostgresLimits(direct.query).counter('password', allowance);
  await eventually(async () => {
    skippedMs += 10_000;
    expect(await counter.attempt('10.0.0.3', () => false)).not.toBe(true);
    expect(await other.attempt('10.0.0.3', () => true)).not.toBe(true);
  });
  await Promise.all([database.close(), direct.close()]);
  await proxy.close();
  await test.drop();
});
