// Model calls that run now, as several gateways of one database see them.
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { openDatabase } from './connect.ts';
import type { PostgresDatabase } from './database.ts';
import { createPostgresSpending } from './spending.ts';

let test: TestDatabase;
let databases: PostgresDatabase[];
let gateways: ReturnType<typeof createPostgresSpending>[];

beforeAll(async () => {
  test = await testDatabase();
  databases = [1, 2, 3].map(() => openDatabase({ url: test.url }));
  gateways = databases.map((database, index) => createPostgresSpending(database, `process-${index}`));
});

afterEach(async () => {
  await databases[0]?.query('DELETE FROM lainclaw.limits');
});

afterAll(async () => {
  for (const gateway of gateways) gateway.close();
  for (const database of databases) await database.close();
  await test.drop();
});

const first = () => gateways[0] as (typeof gateways)[number];
const second = () => gateways[1] as (typeof gateways)[number];

it('of calls that begin at the same time each sees those before it, and none is overlooked', async () => {
  const calls = await Promise.all(
    Array.from({ length: 45 }, (_, index) => (gateways[index % 3] as (typeof gateways)[number]).begin(1)),
  );
  const seen = calls.map(({ othersTokens }) => othersTokens).sort((a, b) => a - b);
  expect(seen).toEqual(Array.from({ length: 45 }, (_, index) => index));
  await Promise.all(calls.map((call) => call.end()));
  expect(await first().begin(1)).toMatchObject({ othersTokens: 0 });
});

it('a call counts until it has ended', async () => {
  const one = await first().begin(1_000);
  const two = await second().begin(500);
  expect([one.othersTokens, two.othersTokens]).toEqual([0, 1_000]);
  await one.end();
  expect(await first().begin(1)).toMatchObject({ othersTokens: 500 });
});

it('one of a gateway that is lost counts for half a minute', async () => {
  await first().begin(1_000);
  expect(await second().begin(1)).toMatchObject({ othersTokens: 1_000 });
  // As if its gateway had not renewed it.
  await databases[0]?.query(
    `UPDATE lainclaw.limits SET places = (SELECT jsonb_object_agg(key, jsonb_build_array((value ->> 0)::float8 - 31, value -> 1)) FROM jsonb_each(places))`,
  );
  expect(await second().begin(1)).toMatchObject({ othersTokens: 0 });
});
