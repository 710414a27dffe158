import { afterEach, beforeEach, expect, it } from 'vitest';
import { memoryOwnerFiles } from '../../../test/support/memory-owner-files.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { superuser } from '../../../test/support/postgres-cluster.ts';
import { openDatabase } from './connect.ts';
import type { PostgresDatabase } from './database.ts';
import { createFencing } from './fencing.ts';
import { createPostgresOwnerFiles } from './owner-files.ts';
import { createSealing } from './sealed-text.ts';

const SECRET = '{"version":1,"token":"sk-very-secret"}';
let made: TestDatabase;
let database: PostgresDatabase;

beforeEach(async () => {
  made = await testDatabase();
  database = openDatabase({ url: made.url });
});
afterEach(async () => {
  await database.close();
  await made.drop();
});

/** One machine: its key and its files. */
function machine(key?: string) {
  const files = memoryOwnerFiles();
  let kept = key;
  const sealing = createSealing({
    database,
    readKey: async () => kept,
    keepKey: async (fresh) => {
      kept ??= fresh;
      return kept;
    },
    keyPlace: 'store.key',
  });
  const ownerFiles = createPostgresOwnerFiles({
    database,
    fencing: createFencing(database, () => {}),
    sealing,
    machine: files,
  });
  return { ownerFiles, files, key: () => kept };
}

it('no row holds the text or the key', async () => {
  const { ownerFiles, key } = machine();
  await ownerFiles.update('auth-profiles.json', () => SECRET);
  const everything = await superuser(
    made.port,
    async (client) => {
      const tables = ['owner_files', 'store_key'];
      const found = await Promise.all(tables.map((table) => client.query(`SELECT t::text FROM lainclaw.${table} t`)));
      return found.flatMap(({ rows }) => rows.map((row: { t: string }) => row.t)).join('\n');
    },
    made.name,
  );
  expect(everything).toContain('auth-profiles.json');
  for (const hidden of ['very-secret', Buffer.from('very-secret').toString('hex'), key() ?? 'no key'])
    expect(everything).not.toContain(hidden);
  expect(await ownerFiles.read('auth-profiles.json')).toBe(SECRET);
});

it('a second machine reads with the same key, and is refused with another one or none', async () => {
  const first = machine();
  await first.ownerFiles.update('auth-profiles.json', () => SECRET);
  expect(await machine(first.key()).ownerFiles.read('auth-profiles.json')).toBe(SECRET);
  const message = expect.stringContaining('copy store.key');
  await expect(machine('00'.repeat(32)).ownerFiles.read('auth-profiles.json')).rejects.toMatchObject({ message });
  await expect(machine().ownerFiles.update('trust.json', () => '{}')).rejects.toMatchObject({ message });
  await expect(machine('short').ownerFiles.read('auth-profiles.json')).rejects.toMatchObject({
    message: expect.stringContaining('64 hexadecimal digits'),
  });
});

it('a row that was changed or put under another name is not taken for the text', async () => {
  const { ownerFiles } = machine();
  for (const name of ['auth-profiles.json', 'trust.json']) await ownerFiles.update(name, () => `{"of":"${name}"}`);
  await database.query(
    `UPDATE lainclaw.owner_files SET content = (SELECT content FROM lainclaw.owner_files WHERE name = 'trust.json')
     WHERE name = 'auth-profiles.json'`,
  );
  await expect(ownerFiles.read('auth-profiles.json')).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
  await database.query(`UPDATE lainclaw.owner_files SET content = set_byte(content, 30, get_byte(content, 30) # 1)`);
  await expect(ownerFiles.read('trust.json')).rejects.toMatchObject({ code: 'STORAGE_FAILED' });
});

it('the settings of a machine stay on it', async () => {
  const { ownerFiles, files } = machine();
  await ownerFiles.update('config.json', () => '{"provider":"stub"}');
  expect(files.texts.get('config.json')).toBe('{"provider":"stub"}');
  expect(await database.query('SELECT name FROM lainclaw.owner_files')).toEqual([]);
  expect(await ownerFiles.list()).toEqual(['config.json']);
});

it('what a machine has begun to forget is recorded on it: another machine must forget in its own home', async () => {
  const first = machine();
  await first.ownerFiles.update('forgetting.json', () => '{"version":1,"forgettings":[]}');
  expect(await machine(first.key()).ownerFiles.read('forgetting.json')).toBeUndefined();
  expect(await first.ownerFiles.read('forgetting.json')).toBeDefined();
});

it('a file of a newer version is refused and stays', async () => {
  const { ownerFiles } = machine();
  await ownerFiles.update('trust.json', () => '{"version":9}');
  await expect(ownerFiles.read('trust.json')).rejects.toMatchObject({ code: 'STORAGE_NEWER_VERSION' });
  await expect(ownerFiles.update('trust.json', () => '{}')).rejects.toMatchObject({ code: 'STORAGE_NEWER_VERSION' });
});
