import { existsSync, mkdtempSync, readdirSync, readlinkSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLainclawDb } from './lainclaw-db/schema.ts';
import { createWriteAheadLog, type WriteAheadLog } from './write-ahead-log.ts';

let base: string;
let log: WriteAheadLog;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lainclaw-log-'));
  log = createWriteAheadLog(join(base, 'lainclaw.db'));
});
afterEach(async () => {
  await log.close();
  rmSync(base, { recursive: true, force: true });
});

function linkOf(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return '';
  }
}

it('is synced beside the commits, which do not wait', async () => {
  const database = createLainclawDb(base);
  const level = await database.use((db) => {
    log.prepare(db);
    db.exec('CREATE TABLE t (n)');
    return Number(db.prepare('PRAGMA synchronous').get()?.synchronous);
  });
  expect(level).toBe(1);
  await log.sync();
  await log.sync();
  await database.close();
});

it('is open once, whatever is synced at the same moment, and closed after it', async () => {
  const database = createLainclawDb(base);
  await database.use((db) => {
    log.prepare(db);
    db.exec('CREATE TABLE t (n)');
  });
  const opened = (): number =>
    readdirSync('/proc/self/fd').filter((name) => linkOf(`/proc/self/fd/${name}`).endsWith('lainclaw.db-wal')).length;
  // One of SQLite's own.
  const before = opened();
  await Promise.all(Array.from({ length: 10 }, () => log.sync()));
  expect(opened()).toBe(before + 1);
  await log.close();
  const syncing = log.sync();
  await log.close();
  await syncing;
  expect(opened()).toBe(before);
  await database.close();
});

it('that was removed with its last connection is found again', async () => {
  for (let round = 0; round < 3; round += 1) {
    const database = createLainclawDb(base);
    await database.use((db) => {
      log.prepare(db);
      db.exec(`CREATE TABLE t${round} (n)`);
    });
    await log.sync();
    await database.use((db) => db.close());
    expect(existsSync(join(base, 'lainclaw.db-wal'))).toBe(false);
  }
});

it('that cannot be synced says so', async () => {
  const database = createLainclawDb(base);
  await database.use((db) => log.prepare(db));
  await database.use((db) => db.close());
  rmSync(join(base, 'lainclaw.db-wal'), { force: true });
  await expect(log.sync()).rejects.toThrow('lainclaw.db-wal');
});

it('of a database that has none leaves the waiting to each commit', async () => {
  const database = createLainclawDb(base);
  const level = await database.use((db) => {
    db.exec('PRAGMA journal_mode = DELETE');
    log.prepare(db);
    return Number(db.prepare('PRAGMA synchronous').get()?.synchronous);
  });
  expect(level).toBe(2);
  await log.sync();
  await database.close();
});
