import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { checkDatabase } from './check-database.ts';
import { checkLog } from './check-log.ts';
import { repairInPlace } from './repair-database.ts';

let folder: string;
let location: string;
let database: DatabaseSync;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'lainclaw-database-'));
  location = join(folder, 'a.db');
  database = new DatabaseSync(location);
  database.exec('PRAGMA journal_mode = WAL; CREATE TABLE notes (text TEXT); PRAGMA user_version = 1');
  for (let note = 0; note < 50; note += 1) database.prepare('INSERT INTO notes VALUES (?)').run(`note ${note}`);
});
afterEach(() => {
  database.close();
  rmSync(folder, { recursive: true });
});

const check = () =>
  checkDatabase(
    { path: 'a.db', location, size: statSync(location).size },
    { schema: { version: 1, steps: async () => [] }, remedy: 'restore' },
  );

describe('the check of a database', () => {
  it('finds nothing in a sound one, also while it is used', async () => {
    expect(await check()).toEqual([]);
  });

  it('does not take a database that others hold for a damaged one', async () => {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE); PRAGMA journal_mode = DELETE; BEGIN EXCLUSIVE');
    expect(await check()).toMatchObject([{ state: 'advice', remedy: 'look' }]);
    database.exec('COMMIT');
  });

  it('names a newer version, and what is not a database', async () => {
    database.exec('PRAGMA user_version = 2');
    expect(await check()).toMatchObject([{ remedy: 'upgrade' }]);
    database.close();
    for (const end of ['-wal', '-shm']) rmSync(`${location}${end}`, { force: true });
    writeFileSync(location, 'x'.repeat(4096));
    expect(await check()).toMatchObject([{ problem: { code: 'not-a-database' }, remedy: 'restore' }]);
    chmodSync(location, 0o600);
    database = new DatabaseSync(':memory:');
  });

  it('finds any changed byte of a write-ahead log', async () => {
    const path = `${location}-wal`;
    const sound = readFileSync(path);
    expect(await checkLog(path)).toEqual([]);
    const copy = join(folder, 'copy');
    for (const at of [0, 9, 20, 30, 40, 60, 500, 4_000, sound.length - 1]) {
      const damaged = Buffer.from(sound);
      damaged[at] = (damaged[at] ?? 0) ^ 1;
      writeFileSync(copy, damaged);
      expect(await checkLog(copy), String(at)).toHaveLength(1);
    }
  });

  it('keeps the rows when a frame of the log was changed: what precedes it is taken', async () => {
    const copy = join(folder, 'copy.db');
    copyFileSync(location, copy);
    const log = readFileSync(`${location}-wal`);
    log[log.length - 1] = (log.at(-1) ?? 0) ^ 1;
    writeFileSync(`${copy}-wal`, log);
    const checkCopy = () => checkDatabase({ path: 'copy.db', location: copy, size: statSync(copy).size }, undefined);
    expect(await checkCopy()).toMatchObject([{ remedy: 'in-place' }]);
    repairInPlace(copy);
    expect(await checkCopy()).toEqual([]);
    const repaired = new DatabaseSync(copy);
    expect(repaired.prepare('SELECT count(*) AS count FROM notes').get()).toEqual({ count: 49 });
    repaired.close();
  });
});
