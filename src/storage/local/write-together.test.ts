import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import type { Database } from './database.ts';
import { createLainclawDb } from './lainclaw-db/schema.ts';
import { createSyncedDatabase, type UseDatabase } from './synced-database.ts';
import { createWriteTogether } from './write-together.ts';

let base: string;
let database: Database;
let uses: number;
let use: UseDatabase;
let syncs: number;
let sync: () => Promise<void>;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lainclaw-together-'));
  database = createLainclawDb(base);
  uses = 0;
  syncs = 0;
  sync = async () => {
    syncs += 1;
  };
  const synced = createSyncedDatabase(database, (db) => db.exec('CREATE TABLE IF NOT EXISTS t (n INTEGER UNIQUE)'));
  use = (statements) => {
    uses += 1;
    return synced(statements);
  };
});
afterEach(async () => {
  await database.close();
  rmSync(base, { recursive: true, force: true });
});

const insert = (write: UseDatabase, n: number) =>
  write((db) => Number(db.prepare('INSERT INTO t (n) VALUES (?)').run(n).changes));
const count = () => use((db) => Number(db.prepare('SELECT count(*) AS n FROM t').get()?.n));

it('writes of one moment share a transaction', async () => {
  const { durably: write, soon } = createWriteTogether({ use, sync });
  expect(await Promise.all(Array.from({ length: 500 }, (_, n) => insert(n % 2 ? write : soon, n)))).toEqual(
    Array(500).fill(1),
  );
  expect(uses).toBe(1);
  expect(await count()).toBe(500);
});

it('one that fails takes no other with it, and leaves nothing of itself', async () => {
  const { durably: write } = createWriteTogether({ use, sync });
  const broken = write((db) => {
    db.prepare('INSERT INTO t (n) VALUES (?)').run(99);
    throw new Error('in the middle');
  });
  const settled = await Promise.allSettled([insert(write, 1), insert(write, 1), broken, insert(write, 2)]);
  expect(settled.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'rejected', 'fulfilled']);
  expect(
    await use((db) =>
      db
        .prepare('SELECT n FROM t ORDER BY n')
        .all()
        .map(({ n }) => Number(n)),
    ),
  ).toEqual([1, 2]);
});

it('what comes while another is written is written next', async () => {
  const { durably: write } = createWriteTogether({ use, sync });
  await Promise.all([insert(write, 1), insert(write, 2).then(() => insert(write, 3))]);
  await insert(write, 4);
  expect(await count()).toBe(4);
});

it('waits for the disk once for all, and only where one of them must', async () => {
  const { durably, soon } = createWriteTogether({ use, sync });
  await Promise.all([insert(soon, 1), insert(soon, 2)]);
  expect(syncs).toBe(0);
  await Promise.all([insert(soon, 3), insert(durably, 4), insert(durably, 5)]);
  expect(syncs).toBe(1);
});

it('tells nobody before it is durable, and everybody when it cannot be', async () => {
  const disk = Promise.withResolvers<void>();
  const told: string[] = [];
  const { durably } = createWriteTogether({ use, sync: () => disk.promise });
  const writes = [1, 2].map((n) =>
    insert(durably, n).then(
      () => told.push('done'),
      (error: Error) => told.push(error.message),
    ),
  );
  await eventually(async () => expect(await count()).toBe(2));
  expect(told).toEqual([]);
  disk.reject(new Error('the disk is gone'));
  await Promise.all(writes);
  expect(told).toEqual(['the disk is gone', 'the disk is gone']);
  expect(await count()).toBe(2);
});
