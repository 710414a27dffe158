// Statements that are sent without waiting for the answers before them, and statements that are prepared.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type CutProxy, startCutProxy } from '../../../test/support/cut-proxy.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { APP, databaseUrl } from '../../../test/support/postgres-cluster.ts';
import { openDatabase } from './connect.ts';
import { type PostgresDatabase, withoutAwaiting } from './database.ts';

let made: TestDatabase;
let owner: PostgresDatabase;
let database: PostgresDatabase;
let proxy: CutProxy | undefined;
beforeEach(async () => {
  made = await testDatabase();
  owner = openDatabase({ url: made.ownerUrl });
  await owner.query('CREATE TABLE lainclaw.kept (id int PRIMARY KEY)');
  database = openDatabase({ url: made.url, connections: 1 });
});
afterEach(async () => {
  await database.close();
  await owner.close();
  await proxy?.close();
  proxy = undefined;
  await made.drop();
});

const add = 'INSERT INTO lainclaw.kept VALUES ($1)';
const kept = async (): Promise<unknown[]> =>
  (await owner.query<{ id: number }>('SELECT id FROM lainclaw.kept ORDER BY id')).map(({ id }) => id);

it('statements that nobody waits for are committed with the transaction, in their order', async () => {
  const seen = await database.transaction(async (query) => {
    withoutAwaiting(query(add, [1]));
    const rows = await query('SELECT id FROM lainclaw.kept');
    withoutAwaiting(query(add, [2]));
    return rows;
  });
  expect(seen).toEqual([{ id: 1 }]);
  expect(await kept()).toEqual([1, 2]);
});

it('one of them that fails fails the transaction with its own reason, and nothing of it is kept', async () => {
  await database.query(add, [7]);
  const repeated = database.transaction(async (query) => {
    withoutAwaiting(query(add, [8]));
    withoutAwaiting(query(add, [7]));
    withoutAwaiting(query(add, [9]));
  });
  await expect(repeated).rejects.toMatchObject({ message: expect.stringContaining('duplicate key') });
  const awaited = database.transaction(async (query) => {
    withoutAwaiting(query(add, [7]));
    await query(add, [10]);
  });
  await expect(awaited).rejects.toMatchObject({ message: expect.stringContaining('duplicate key') });
  expect(await kept()).toEqual([7]);
  await database.transaction(async (query) => withoutAwaiting(query(add, [11])));
  expect(await kept()).toEqual([7, 11]);
});

it('without an answer to the commit it is not repeated: it may have happened', async () => {
  proxy = await startCutProxy(made.port);
  const cut = proxy;
  const far = openDatabase({ url: databaseUrl(cut.port, APP, made.name), connections: 1, queryMs: 300, waitMs: 5_000 });
  let runs = 0;
  const work = far.transaction(async (query) => {
    runs += 1;
    await query('SELECT 1');
    cut.cut();
    withoutAwaiting(query(add, [1]));
  });
  await expect(work).rejects.toMatchObject({ code: 'STORAGE_UNREACHABLE' });
  expect(runs).toBe(1);
  cut.restore();
  await far.close();
});

it('a prepared statement survives a migration that changes what it reads', async () => {
  const read = 'SELECT * FROM lainclaw.kept WHERE id = $1';
  await database.query(add, [1]);
  for (let time = 0; time < 4; time += 1) expect(await database.query(read, [1])).toEqual([{ id: 1 }]);
  await owner.query("ALTER TABLE lainclaw.kept ADD COLUMN name text DEFAULT 'new'");
  expect(await database.query(read, [1])).toEqual([{ id: 1, name: 'new' }]);
  await owner.query('ALTER TABLE lainclaw.kept DROP COLUMN name');
  expect(await database.transaction((query) => query(read, [1]))).toEqual([{ id: 1 }]);
});
