// `lainclaw store copy`: the records of a home into PostgreSQL and back, killed in the middle, refused when that would lose something.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createLocalStorage } from '../../src/storage/local/local-storage.ts';
import { eventually } from '../support/eventually.ts';
import { fillHome } from '../support/filled-home.ts';
import type { Home } from '../support/home.ts';
import { lainclaw, runBinary, startLainclaw } from '../support/lainclaw.ts';
import { testDatabase } from '../support/postgres.ts';
import { superuser } from '../support/postgres-cluster.ts';
import { afterFile, testHome } from '../support/test-home.ts';

interface Copied {
  kinds: { kind: string; records: number; copied: number; checksum: string }[];
}

async function homeAndDatabase() {
  const database = await testDatabase();
  afterFile(() => database.drop());
  const home = testHome();
  home.config({ provider: 'stub', store: database.url });
  return { home, database };
}

const copy = (home: Home, from: string, to: string) =>
  lainclaw(['store', 'copy', '--from', from, '--to', to], { home });
const sums = ({ kinds }: Copied): string[][] =>
  kinds.map(({ kind, records, checksum }) => [kind, `${records}`, checksum]);
const copiedOf = ({ kinds }: Copied): number => kinds.reduce((sum, { copied }) => sum + copied, 0);
const recordsOf = ({ kinds }: Copied): number => kinds.reduce((sum, { records }) => sum + records, 0);

it('records of every kind are the same in the database, and in a home that they are copied back to', async () => {
  const { home, database } = await homeAndDatabase();
  await fillHome(home.path, Math.floor(Math.random() * 1e9));
  const into = await copy(home, 'local', 'postgres');
  expect(into.code, into.stdout + into.stderr).toBe(0);
  const first = into.json<Copied>();
  expect(first.kinds.map(({ kind }) => kind)).toHaveLength(25);
  for (const { kind, records, copied } of first.kinds)
    expect([kind, copied > 0, copied]).toEqual([kind, true, records]);

  const again = (await copy(home, 'local', 'postgres')).json<Copied>();
  expect([copiedOf(again), sums(again)]).toEqual([0, sums(first)]);

  const elsewhere = testHome();
  elsewhere.config({ provider: 'stub', store: database.url });
  writeFileSync(join(elsewhere.path, 'store.key'), readFileSync(join(home.path, 'store.key')), { mode: 0o600 });
  const back = await copy(elsewhere, 'postgres', 'local');
  expect(back.code, back.stdout + back.stderr).toBe(0);
  expect(sums(back.json<Copied>())).toEqual(sums(first));
  const text = (each: Home, name: string): string => readFileSync(join(each.path, name), 'utf8');
  for (const name of [
    'auth-profiles.json',
    'trust.json',
    'core_memory.history.jsonl',
    'sessions/session_0.jsonl',
    'outputs/session_0/inbox/2026-12-01/план.txt',
  ])
    expect(text(elsewhere, name)).toBe(text(home, name));
  const storage = createLocalStorage({ home: elsewhere.path, now: Date.now });
  expect((await storage.spending.on('2026-01-01')).tokens).toBe(15);
  await storage.close();
});

it('a home that was used continues in the database', async () => {
  const { home, database } = await homeAndDatabase();
  home.config({ provider: 'stub' });
  await lainclaw(['ask', 'my cat is called Miranda'], { home });
  await lainclaw(['memory', 'core', 'set', 'user', 'drink', 'green tea'], { home });
  await lainclaw(['schedule', 'add', 'daily', '--cron', '0 8 * * *', '--message', 'good morning'], { home });
  const before = home.index();
  home.config({ provider: 'stub', store: database.url });
  const copied = await copy(home, 'local', 'postgres');
  expect(copied.code, copied.stdout + copied.stderr).toBe(0);
  expect(home.index()).toEqual(before);
  expect((await lainclaw(['store', 'status'], { home })).json()).toMatchObject({
    sessionsInHome: 0,
    counts: { sessions: 1, jobs: 1 },
  });

  expect((await lainclaw(['memory', 'core', 'get'], { home })).stdout).toContain('green tea');
  expect((await lainclaw(['ask', 'and my dog Ferdinand'], { home })).code).toBe(0);
  const exported = await lainclaw(['sessions', 'export', 'main', '--format', 'markdown'], { home });
  expect(exported.stdout).toMatch(/Miranda[\s\S]*Ferdinand/);
  const added = await lainclaw(['schedule', 'add', 'nightly', '--cron', '0 22 * * *', '--message', 'good night'], {
    home,
  });
  expect(added.code, added.stdout + added.stderr).toBe(0);
  expect((await lainclaw(['schedule', 'list'], { home })).stdout).toMatch(/daily[\s\S]*nightly/);
});

it('a copy that was killed continues, and nothing is there twice', async () => {
  const { home, database } = await homeAndDatabase();
  await fillHome(home.path, 7);
  const counted = await superuser(
    database.port,
    async (client) => {
      // Rows can be read, and the copy waits when it adds the first one.
      await client.query('BEGIN; LOCK TABLE lainclaw.outbox IN EXCLUSIVE MODE');
      const running = startLainclaw(['store', 'copy', '--from', 'local', '--to', 'postgres'], { home });
      await eventually(async () => {
        const waiting = await client.query('SELECT 1 FROM pg_locks WHERE NOT granted');
        expect(waiting.rows).not.toEqual([]);
      });
      running.kill('SIGKILL');
      await running.ended;
      await client.query('ROLLBACK');
      return (await client.query('SELECT count(*)::int AS count FROM lainclaw.schedule_jobs')).rows[0].count as number;
    },
    database.name,
  );
  expect(counted).toBeGreaterThan(0);

  const continued = await copy(home, 'local', 'postgres');
  expect(continued.code, continued.stdout + continued.stderr).toBe(0);
  const done = continued.json<Copied>();
  expect(done.kinds).toContainEqual(expect.objectContaining({ kind: 'jobs', records: counted, copied: 0 }));
  expect(copiedOf(done)).toBeGreaterThan(0);
  expect(copiedOf(done)).toBeLessThan(recordsOf(done));
  expect(copiedOf((await copy(home, 'local', 'postgres')).json<Copied>())).toBe(0);
});

it('a conversation whose beginning the target has is continued', async () => {
  const { home, database } = await homeAndDatabase();
  await fillHome(home.path, 11);
  expect((await copy(home, 'local', 'postgres')).code).toBe(0);
  await superuser(
    database.port,
    (client) => client.query(`DELETE FROM lainclaw.transcript_lines WHERE session_id = 'session_0' AND number > 200`),
    database.name,
  );
  const done = (await copy(home, 'local', 'postgres')).json<Copied>();
  expect(done.kinds).toContainEqual(expect.objectContaining({ kind: 'conversations', copied: 1 }));
});

it('records of the target that differ are named, and nothing is copied', async () => {
  const { home, database } = await homeAndDatabase();
  await fillHome(home.path, 13);
  await lainclaw(['memory', 'core', 'set', 'user', 'drink', 'coffee'], { home });
  writeFileSync(join(home.path, 'core_memory.json'), '{"user":{"drink":"tea"},"agent":{}}', { mode: 0o600 });
  await lainclaw(['schedule', 'add', 'daily', '--cron', '0 8 * * *', '--message', 'hello'], { home });
  const refused = await copy(home, 'local', 'postgres');
  expect(refused.code).toBe(1);
  const { message } = refused.json<{ error: { message: string } }>().error;
  expect(refused.json()).toMatchObject({ error: { code: 'STORE_COPY_DIFFERS' } });
  // The job has the number of another one.
  expect(message).toMatch(/core_memory\.json.*jobs: 1/);
  const rows = await superuser(
    database.port,
    async (client) => (await client.query('SELECT 1 FROM lainclaw.transcripts')).rows,
    database.name,
  );
  expect(rows).toEqual([]);
});

it('a running gateway is not copied away from, and both ends must be named', async () => {
  const { home } = await homeAndDatabase();
  const gateway = (...args: string[]) => runBinary(['gateway', ...args], { home });
  afterFile(() => gateway('stop').catch(() => {}));
  expect((await gateway('start', '--daemon', '--channel=local', '--pairing-policy=open')).code).toBe(0);
  const refused = await copy(home, 'local', 'postgres');
  expect(refused.json()).toMatchObject({ error: { code: 'STORE_COPY_IN_USE' } });
  expect((await gateway('stop')).code).toBe(0);
  await eventually(async () => expect((await copy(home, 'local', 'postgres')).code).toBe(0));
  expect((await copy(home, 'local', 'local')).json()).toMatchObject({
    error: { message: expect.stringContaining('named twice') },
  });
  expect((await copy(home, 'local', 'elsewhere')).code).not.toBe(0);
});

it('a copy that finds another one at work on the home says so', async () => {
  const { home } = await homeAndDatabase();
  const storage = createLocalStorage({ home: home.path, now: Date.now, lainclaw: 'test' });
  afterFile(() => storage.close());
  const held = await storage.machineLocks.acquire('gateway-service');
  expect((await copy(home, 'local', 'postgres')).json()).toMatchObject({
    error: { code: 'STORE_COPY_IN_USE', message: expect.stringContaining('wait until the copy has ended') },
  });
  await held.release();
  expect((await copy(home, 'local', 'postgres')).code).toBe(0);
});
