// A database that asks for a password.
import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import type { Home } from '../../../test/support/home.ts';
import { testDatabase } from '../../../test/support/postgres.ts';
import { superuser } from '../../../test/support/postgres-cluster.ts';
import { afterFile, testHome } from '../../../test/support/test-home.ts';
import { openDatabase } from './connect.ts';
import type { PostgresDatabase } from './database.ts';

const open: PostgresDatabase[] = [];

function connect(address: string, options: { waitMs?: number } = {}): PostgresDatabase {
  const database = openDatabase({ url: address, ...options });
  open.push(database);
  return database;
}

const ROLE = 'lainclaw_with_password';
const FILE_MODE = 0o600;
let rules: { path: string; before: string };
let url: string;
let port: number;
let home: Home;

beforeAll(async () => {
  home = testHome();
  const database = await testDatabase();
  afterFile(() => database.drop());
  ({ port } = database);
  const asking = new URL(database.url);
  asking.username = ROLE;
  url = asking.href;
  const path = await superuser(port, async (client) => {
    await client.query(`CREATE ROLE ${ROLE} LOGIN SUPERUSER PASSWORD 'right word'`);
    return (await client.query<{ hba_file: string }>('SHOW hba_file')).rows[0]?.hba_file ?? '';
  });
  rules = { path, before: readFileSync(path, 'utf8') };
  writeFileSync(path, `host all ${ROLE} all scram-sha-256\n${rules.before}`);
  await superuser(port, (client) => client.query('SELECT pg_reload_conf()'));
});

afterAll(async () => {
  writeFileSync(rules.path, rules.before);
  await superuser(port, (client) => client.query(`SELECT pg_reload_conf(); DROP ROLE ${ROLE}`));
});

const passwordFile = (line: string): void => {
  const path = home.file('pgpass', `${line}\n`);
  chmodSync(path, FILE_MODE);
  vi.stubEnv('PGPASSFILE', path);
};

afterEach(async () => {
  vi.unstubAllEnvs();
  for (const database of open.splice(0)) await database.close();
});

it('gets that of ~/.pgpass, on every connection, and nobody is warned of the driver', async () => {
  const warned: Error[] = [];
  const onWarning = (warning: Error): void => void warned.push(warning);
  process.on('warning', onWarning);
  passwordFile(`127.0.0.1:${port}:*:${ROLE}:right word`);
  const { query, connectApart } = connect(url);
  expect(await query('SELECT current_user::text AS me')).toEqual([{ me: ROLE }]);
  const apart = await connectApart();
  expect((await apart.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }]);
  await apart.end();
  process.off('warning', onWarning);
  expect(warned).toEqual([]);
});

it('gets that of the address or PGPASSWORD before that of the file', async () => {
  passwordFile(`127.0.0.1:${port}:*:${ROLE}:wrong word`);
  vi.stubEnv('PGPASSWORD', 'right word');
  expect(await connect(url).query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
  vi.stubEnv('PGPASSWORD', 'wrong word');
  const named = new URL(url);
  named.password = 'right word';
  expect(await connect(named.href).query('SELECT 1 AS one')).toEqual([{ one: 1 }]);
});

it('says how to set one where there is none, and leaves no connection that waits for it', async () => {
  passwordFile('elsewhere:*:*:*:right word');
  await expect(connect(url, { waitMs: 0 }).query('SELECT 1')).rejects.toMatchObject({
    code: 'STORAGE_UNREACHABLE',
    message: expect.stringContaining('set PGPASSWORD, or add a line to ~/.pgpass'),
  });
  const waiting = `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'ClientRead' AND state IS NULL`;
  await eventually(async () => expect((await superuser(port, (client) => client.query(waiting))).rows).toEqual([]));
});
