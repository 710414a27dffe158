import { afterAll, afterEach, describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { startPooler } from '../../../test/support/pgbouncer.ts';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { type Cluster, databaseUrl, OWNER, startCluster, superuser } from '../../../test/support/postgres-cluster.ts';
import { newId } from '../../lib/new-id.ts';
import { openDatabase } from './connect.ts';
import type { PostgresDatabase } from './database.ts';
import { createPostgresLocks } from './leases.ts';
import { KNOWN_VERSION, migrate, readVersion } from './migrations.ts';

const open: PostgresDatabase[] = [];
const databases: TestDatabase[] = [];

function connect(url: string, options: Partial<Parameters<typeof openDatabase>[0]> = {}): PostgresDatabase {
  const database = openDatabase({ url, ...options });
  open.push(database);
  return database;
}

async function fresh(options?: { isEmpty?: boolean }): Promise<TestDatabase> {
  const database = await testDatabase(options);
  databases.push(database);
  return database;
}

afterEach(async () => {
  for (const database of open.splice(0)) await database.close();
  for (const database of databases.splice(0)) await database.drop();
});

describe('tables', () => {
  it('a database without them is refused with what to run', async () => {
    const { ownerUrl } = await fresh({ isEmpty: true });
    await expect(connect(ownerUrl).query('SELECT 1')).rejects.toMatchObject({
      code: 'STORAGE_FAILED',
      message: expect.stringContaining('lainclaw store init'),
    });
  });

  it('two programs that make them at the same time run each step once', async () => {
    const { ownerUrl } = await fresh({ isEmpty: true });
    const doors = [1, 2, 3].map(() => connect(ownerUrl, { requiresTables: false }));
    const done = await Promise.all(doors.map((door) => migrate(door)));
    expect(
      done
        .flat()
        .map(({ number }) => number)
        .sort((a, b) => a - b),
    ).toEqual(Array.from({ length: KNOWN_VERSION }, (_, index) => index + 1));
    expect(await migrate(doors[0] as PostgresDatabase)).toEqual([]);
    await expect(connect(ownerUrl).query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
  });

  it('those of a newer program are refused and stay unchanged', async () => {
    const { ownerUrl } = await fresh();
    const newer = KNOWN_VERSION + 1;
    const owner = connect(ownerUrl);
    await owner.query('INSERT INTO lainclaw.migrations (number, name, oldest_program) VALUES ($1, $2, $1)', [
      newer,
      'later',
    ]);
    await expect(connect(ownerUrl).query('SELECT 1')).rejects.toMatchObject({ code: 'STORAGE_NEWER_VERSION' });
    await expect(migrate(connect(ownerUrl, { requiresTables: false }))).rejects.toMatchObject({
      code: 'STORAGE_NEWER_VERSION',
    });
    expect(await readVersion(owner.query)).toEqual({ version: newer, oldestProgram: newer });
  });

  it('those that a migration closed to this program are refused while it runs, and its locks become free', async () => {
    const { ownerUrl, url } = await fresh();
    const running = connect(url, { versionMs: 20 });
    const locks = createPostgresLocks({ query: running.query, newId, leaseMs: 400 });
    const lock = await locks.acquire('bot');
    const newer = KNOWN_VERSION + 1;
    const statement = 'INSERT INTO lainclaw.migrations (number, name, oldest_program) VALUES ($1, $2, $1)';
    await connect(ownerUrl).query(statement, [newer, 'later']);
    await eventually(() => expect(running.query('SELECT 1')).rejects.toMatchObject({ code: 'STORAGE_NEWER_VERSION' }));
    await expect(running.transaction((query) => query('SELECT 1'))).rejects.toMatchObject({
      code: 'STORAGE_NEWER_VERSION',
    });
    const owner = connect(ownerUrl, { requiresTables: false });
    const ended = `SELECT 1 FROM lainclaw.leases WHERE name = 'bot' AND expires_at < clock_timestamp()`;
    await eventually(async () => expect(await owner.query(ended)).toHaveLength(1));
    await locks.close();
    expect(lock.lost.aborted).toBe(true);
  });

  it('a renewal on a connection that reads no version is refused too', async () => {
    const { ownerUrl } = await fresh();
    const owner = connect(ownerUrl, { requiresTables: false });
    const locks = createPostgresLocks({ query: owner.query, newId, leaseMs: 400 });
    const lock = await locks.acquire('bot');
    const statement = 'INSERT INTO lainclaw.migrations (number, name, oldest_program) VALUES ($1, $2, $1)';
    await owner.query(statement, [KNOWN_VERSION + 1, 'later']);
    await eventually(() => expect(lock.lost.aborted).toBe(true));
    await locks.close();
  });

  it('a step may take longer than any other statement', async () => {
    const { ownerUrl } = await fresh({ isEmpty: true });
    await migrate(connect(ownerUrl, { requiresTables: false }));
    const other = connect(ownerUrl);
    const slow = connect(ownerUrl, { requiresTables: false, queryMs: 300, waitMs: 0 });
    let migrating: Promise<unknown> | undefined;
    await other.transaction(async (query) => {
      await query('LOCK TABLE lainclaw.migrations IN EXCLUSIVE MODE');
      migrating ??= migrate(slow);
      await query('SELECT pg_sleep(1)');
    });
    expect(await migrating).toEqual([]);
  });

  it('newer ones that this program can use are used', async () => {
    const { ownerUrl } = await fresh();
    await connect(ownerUrl).query(
      'INSERT INTO lainclaw.migrations (number, name, oldest_program) VALUES ($1, $2, $3)',
      [KNOWN_VERSION + 1, 'later', KNOWN_VERSION],
    );
    await expect(connect(ownerUrl).query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
  });

  it('the role of the program can change rows, but no table and no version', async () => {
    const { url } = await fresh();
    const { query } = connect(url);
    for (const statement of [
      'CREATE TABLE lainclaw.mine (id integer)',
      'DROP TABLE lainclaw.leases',
      'ALTER TABLE lainclaw.leases ADD COLUMN more text',
      'DELETE FROM lainclaw.migrations',
      'CREATE SCHEMA mine',
    ])
      await expect(query(statement), statement).rejects.toMatchObject({ code: 'STORAGE_NO_PERMISSION' });
    await query(`INSERT INTO lainclaw.leases VALUES ('a', 1, 'me', now())`);
    expect(await query('DELETE FROM lainclaw.leases RETURNING token')).toEqual([{ token: 1 }]);
  });
});

describe('connections', () => {
  let cluster: Cluster | undefined;
  afterAll(async () => cluster?.stop());
  const own = async (): Promise<{ cluster: Cluster; url: string }> => {
    cluster ??= await startCluster();
    return { cluster, url: databaseUrl(cluster.port, OWNER, 'postgres') };
  };

  it('a transaction is all or nothing', async () => {
    const { url } = await fresh();
    const { query, transaction } = connect(url);
    const failed = transaction(async (inside) => {
      await inside(`INSERT INTO lainclaw.leases VALUES ('a', 1, 'me', now())`);
      throw new Error('no');
    });
    await expect(failed).rejects.toThrow('no');
    expect(await query('SELECT * FROM lainclaw.leases')).toEqual([]);
  });

  it('a transaction is run again after a deadlock', async () => {
    const { url } = await fresh();
    const { query, transaction } = connect(url);
    await query(`INSERT INTO lainclaw.leases VALUES ('a', 0, 'me', now()), ('b', 0, 'me', now())`);
    const { promise: bothHold, resolve } = Promise.withResolvers<void>();
    let holding = 0;
    const both = (names: readonly string[]) =>
      transaction(async (inside) => {
        await inside('UPDATE lainclaw.leases SET token = token + 1 WHERE name = $1', [names[0]]);
        holding += 1;
        if (holding === 2) resolve();
        await bothHold;
        await inside('UPDATE lainclaw.leases SET token = token + 1 WHERE name = $1', [names[1]]);
      });
    await Promise.all([both(['a', 'b']), both(['b', 'a'])]);
    expect(await query('SELECT sum(token)::bigint AS sum FROM lainclaw.leases')).toEqual([{ sum: 4 }]);
  });

  it('a statement is sent again when its connection was ended', async () => {
    const { url } = await fresh();
    const { query } = connect(url, { connections: 1 });
    const [{ pid } = { pid: 0 }] = await query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    await superuser(databases[0]?.port ?? 0, (client) => client.query('SELECT pg_terminate_backend($1)', [pid]));
    const [{ pid: later } = { pid: 0 }] = await query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    expect(later).not.toBe(pid);
  });

  it('a frozen database is reported within the time that was set, and used again afterwards', async () => {
    const { cluster, url } = await own();
    const { query } = connect(url, { requiresTables: false, queryMs: 300, waitMs: 1_000, connections: 1 });
    const [{ pid } = { pid: 0 }] = await query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    process.kill(pid, 'SIGSTOP');
    cluster.process.kill('SIGSTOP');
    try {
      await expect(query('SELECT 1')).rejects.toMatchObject({
        code: 'STORAGE_UNREACHABLE',
        message: expect.stringMatching(/127\.0\.0\.1:\d+\/postgres failed: .*look whether the database runs/),
      });
    } finally {
      process.kill(pid, 'SIGCONT');
      cluster.process.kill('SIGCONT');
    }
    await expect(connect(url, { requiresTables: false }).query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
  });

  it('a database that cannot be reached is reported, without its password', async () => {
    const { query } = connect('postgres://somebody:secret-word@127.0.0.1:1/none', { waitMs: 0 });
    const error = await query('SELECT 1').catch((caught: Error) => caught);
    expect(error).toMatchObject({ code: 'STORAGE_UNREACHABLE' });
    expect(String(error)).toContain('127.0.0.1:1/none');
    expect(String(error)).not.toContain('secret-word');
  });

  it('a name that is not known is reported as unreachable, not as a defect', async () => {
    const { query } = connect('postgres://somebody@no-such-host.invalid/none', { waitMs: 0 });
    await expect(query('SELECT 1')).rejects.toMatchObject({ code: 'STORAGE_UNREACHABLE' });
  });

  it('a role that is refused, a database that is missing and a server without TLS are reported as unreachable', async () => {
    const { url, port } = await fresh();
    await superuser(port, (client) => client.query('CREATE ROLE refused NOLOGIN'));
    const refused = new URL(url);
    refused.username = 'refused';
    const missing = new URL(url);
    missing.pathname = '/no_such_database';
    const encrypted = new URL(url);
    encrypted.searchParams.set('sslmode', 'verify-full');
    try {
      for (const { href } of [refused, missing, encrypted]) {
        const { query, connectApart } = connect(href, { waitMs: 0 });
        await expect(query('SELECT 1'), href).rejects.toMatchObject({
          code: 'STORAGE_UNREACHABLE',
          message: expect.stringContaining('check the address, the role and the password'),
        });
        await expect(connectApart(), href).rejects.toMatchObject({ code: 'STORAGE_UNREACHABLE' });
      }
    } finally {
      await superuser(port, (client) => client.query('DROP ROLE refused'));
    }
  });

  it('a database that takes no writes says so', async () => {
    const { url, name, port } = await fresh();
    await superuser(port, (client) => client.query(`ALTER DATABASE ${name} SET default_transaction_read_only = on`));
    await expect(connect(url).query(`INSERT INTO lainclaw.leases VALUES ('a', 1, 'me', now())`)).rejects.toMatchObject({
      code: 'STORAGE_READ_ONLY',
    });
  });
});

describe('behind pgbouncer', () => {
  for (const mode of ['transaction', 'statement'] as const)
    it(`${mode} mode is refused with the reason`, async () => {
      const { url, port } = await fresh();
      const pooler = await startPooler(port, mode);
      try {
        await expect(connect(pooler.through(url)).query('SELECT 1')).rejects.toMatchObject({
          code: 'STORAGE_FAILED',
          message: expect.stringContaining('pool_mode to session'),
        });
      } finally {
        await pooler.stop();
      }
    });

  it('session mode is used', async () => {
    const { url, port } = await fresh();
    const pooler = await startPooler(port, 'session');
    try {
      const database = connect(pooler.through(url));
      await expect(database.query('SELECT 1 AS one')).resolves.toEqual([{ one: 1 }]);
      await database.close();
    } finally {
      await pooler.stop();
    }
  });
});
