import { mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { setImmediate as tick } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { afterFile } from '../../../test/support/test-home.ts';
import { createDatabase, type Database } from './database.ts';

function testDatabase(): { path: string; database: Database } {
  const base = mkdtempSync(join(tmpdir(), 'lainclaw-database-'));
  const path = join(base, 'test.db');
  const steps = async () => [(db: DatabaseSync) => db.exec('CREATE TABLE words (word TEXT)')];
  const database = createDatabase({ path, schema: { version: 1, steps }, pragmas: 'PRAGMA journal_mode = WAL' });
  afterFile(async () => {
    await database.close();
    rmSync(base, { recursive: true });
  });
  return { path, database };
}

const insert = (db: DatabaseSync): unknown => db.prepare('INSERT INTO words VALUES (?)').run('word');
const count = (db: DatabaseSync): unknown => db.prepare('SELECT count(*) AS n FROM words').get()?.n;

it('other work and readers continue while another process holds the file, and the write happens once it is free', async () => {
  const { path, database } = testDatabase();
  await database.use(insert);
  const other = new DatabaseSync(path);
  other.exec('BEGIN IMMEDIATE');
  let isWritten = false;
  const writing = database.use(insert).then(() => {
    isWritten = true;
  });
  // It ends only because this loop turns while the write waits.
  for (let turn = 0; turn < 200; turn += 1) await tick();
  expect(await database.use(count)).toBe(1);
  expect(isWritten).toBe(false);
  other.exec('COMMIT');
  await writing;
  expect(await database.use(count)).toBe(2);
  other.close();
});

it('opening waits for another process too', async () => {
  const { path, database } = testDatabase();
  const other = new DatabaseSync(path);
  other.exec('BEGIN EXCLUSIVE');
  const writing = database.use(insert);
  for (let turn = 0; turn < 50; turn += 1) await tick();
  other.exec('COMMIT');
  other.close();
  await writing;
});

it('a file that could not be opened is opened by a later use', async () => {
  const { path, database } = testDatabase();
  mkdirSync(path);
  await expect(database.use(insert)).rejects.toMatchObject({ message: expect.stringContaining(path) });
  rmSync(path, { recursive: true });
  await database.use(insert);
});
