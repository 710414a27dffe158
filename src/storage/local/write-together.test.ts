import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createDatabase, type Database } from './database.ts';
import { createSyncedDatabase, type UseDatabase } from './synced-database.ts';
import { createWriteTogether } from './write-together.ts';

let base: string;
let database: Database;
let uses: number;
let use: UseDatabase;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lainclaw-together-'));
  database = createDatabase(base);
  uses = 0;
  const synced = createSyncedDatabase(database, (db) => db.exec('CREATE TABLE IF NOT EXISTS t (n INTEGER UNIQUE)'));
  use = (statements) => {
    uses += 1;
    return synced(statements);
  };
});
afterEach(() => {
  database.close();
  rmSync(base, { recursive: true, force: true });
});

const insert = (write: UseDatabase, n: number) =>
  write((db) => Number(db.prepare('INSERT INTO t (n) VALUES (?)').run(n).changes));
const count = () => use((db) => Number(db.prepare('SELECT count(*) AS n FROM t').get()?.n));

it('writes of one moment share a transaction', async () => {
  const { durably: write, soon } = createWriteTogether(use);
  expect(await Promise.all(Array.from({ length: 500 }, (_, n) => insert(n % 2 ? write : soon, n)))).toEqual(
    Array(500).fill(1),
  );
  expect(uses).toBe(1);
  expect(await count()).toBe(500);
});

it('one that fails takes no other with it, and leaves nothing of itself', async () => {
  const { durably: write } = createWriteTogether(use);
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
  const { durably: write } = createWriteTogether(use);
  await Promise.all([insert(write, 1), insert(write, 2).then(() => insert(write, 3))]);
  await insert(write, 4);
  expect(await count()).toBe(4);
});

it('waits for the disk only where it must', async () => {
  const { durably, soon } = createWriteTogether(use);
  const level = (write: UseDatabase) => write((db) => Number(db.prepare('PRAGMA synchronous').get()?.synchronous));
  expect(await level(soon)).toBe(1);
  expect(await level(durably)).toBe(2);
  expect(await Promise.all([level(soon), level(durably)])).toEqual([2, 2]);
  expect(await use((db) => Number(db.prepare('PRAGMA synchronous').get()?.synchronous))).toBe(2);
});
