// Records in PostgreSQL, through the commands: setting up, asking, a gateway, and what the home no longer holds.
import { appendFileSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import type { Home } from '../support/home.ts';
import { lainclaw, runBinary } from '../support/lainclaw.ts';
import { testDatabase } from '../support/postgres.ts';
import { superuser } from '../support/postgres-cluster.ts';
import { afterFile, testHome } from '../support/test-home.ts';

/** A home whose records are in a database of its own; `isEmpty`: without tables. */
async function storeHome({ isEmpty = false } = {}) {
  const database = await testDatabase({ isEmpty });
  afterFile(() => database.drop());
  const home = testHome();
  home.config({ provider: 'stub', store: database.url });
  return { home, database };
}

const text = (home: Home, name: string): string => readFileSync(join(home.path, name), 'utf8');

it('without the setting, the status is that the records are in the home, and how to name a database', async () => {
  const home = testHome();
  const finished = await lainclaw(['store', 'status'], { home });
  expect(finished.code).toBe(0);
  expect(finished.json()).toEqual({ success: true, place: 'home', home: home.path });
  const { stdout } = await lainclaw(['store', 'status', '--text'], { home });
  expect(stdout).toContain('lainclaw config set store postgres://');
  const made = await lainclaw(['store', 'init'], { home });
  expect(made.code).toBe(1);
  expect(made.json()).toMatchObject({
    error: { message: expect.stringContaining('lainclaw config set store postgres://') },
  });
});

it('tables are made by their owner, then a least-privilege role asks', async () => {
  const { home, database } = await storeHome({ isEmpty: true });
  const before = await lainclaw(['ask', 'hello'], { home });
  expect(before.code).toBe(1);
  expect(before.json()).toMatchObject({ error: { message: expect.stringContaining('lainclaw store init') } });
  expect((await lainclaw(['store', 'status'], { home })).json()).toMatchObject({ tables: 'empty', version: 0 });

  const owner = { LAINCLAW_STORE_OWNER: database.ownerUrl };
  const made = (await lainclaw(['store', 'init'], { home, env: owner })).json<{ steps: unknown[]; role: string }>();
  expect(made).toMatchObject({ success: true, role: 'lainclaw_app' });
  expect(made.steps.length).toBeGreaterThan(0);
  expect((await lainclaw(['store', 'migrate'], { home, env: owner })).json()).toMatchObject({ steps: [] });

  const asked = await runBinary(['ask', 'hello'], { home });
  expect([asked.code, asked.stderr]).toEqual([0, '']);
  const status = (await lainclaw(['store', 'status'], { home })).json();
  expect(status).toMatchObject({
    tables: 'ready',
    role: 'lainclaw_app',
    ownsTables: false,
    counts: { sessions: 1, transcripts: 1 },
  });
});

it('a conversation continues from another machine, and neither home holds it', async () => {
  const { home, database } = await storeHome();
  expect((await lainclaw(['ask', 'my cat is called Miranda'], { home })).code).toBe(0);
  const elsewhere = testHome();
  elsewhere.config({ provider: 'stub', store: database.url });
  const key = { LAINCLAW_STORE_KEY: existsSync(join(home.path, 'store.key')) ? text(home, 'store.key').trim() : '' };
  expect((await lainclaw(['ask', 'and my dog Ferdinand'], { home: elsewhere, env: key })).code).toBe(0);
  const exported = await lainclaw(['sessions', 'export', 'main', '--format', 'markdown'], {
    home: elsewhere,
    env: key,
  });
  expect(exported.stdout).toMatch(/Miranda[\s\S]*Ferdinand/);
  for (const each of [home, elsewhere]) expect(existsSync(join(each.path, 'sessions'))).toBe(false);
});

it('conversations that the home kept before are counted, and are there again without the setting', async () => {
  const { home, database } = await storeHome();
  home.config({ provider: 'stub' });
  await lainclaw(['ask', 'said before'], { home });
  home.config({ provider: 'stub', store: database.url });
  expect((await lainclaw(['sessions', 'list', '--all'], { home })).json()).toEqual([]);
  expect((await lainclaw(['store', 'status'], { home })).json()).toMatchObject({
    sessionsInHome: 1,
    counts: { sessions: 0 },
  });
  home.config({ provider: 'stub' });
  expect((await lainclaw(['sessions', 'list', '--all'], { home })).json()).toHaveLength(1);
});

it('a text that is forgotten everywhere leaves the database', async () => {
  const { home, database } = await storeHome();
  await lainclaw(['ask', 'the word is xylophone'], { home });
  await lainclaw(['memory', 'core', 'set', 'user', 'word', 'xylophone'], { home });
  await lainclaw(['schedule', 'add', 'daily', '--cron', '0 8 * * *', '--message', 'play the xylophone'], { home });
  const held = (): Promise<string> =>
    superuser(
      database.port,
      async (client) => {
        const tables = await client.query(`SELECT tablename AS name FROM pg_tables WHERE schemaname = 'lainclaw'`);
        const names = (tables.rows as { name: string }[]).map(({ name }) => name);
        const holding: string[] = [];
        for (const name of names) {
          // The index has the stem of a word.
          const found = await client.query(`SELECT 1 FROM lainclaw.${name} AS t WHERE t::text LIKE '%xylophon%'`);
          if (found.rows.length > 0) holding.push(name);
        }
        return holding.toSorted().join(' ');
      },
      database.name,
    );
  await lainclaw(['memory', 'save', 'the xylophone is in the attic', '--title', 'xylophone'], { home });
  expect((await lainclaw(['sessions', 'search', 'xylophone'], { home })).json()).toHaveLength(1);
  expect(await held()).toBe(
    'archive_chunks archive_documents archive_postings archive_terms audit_lines history_chunks history_postings history_terms schedule_jobs sessions transcript_lines',
  );
  const forgotten = await lainclaw(['memory', 'forget', '--everywhere', 'xylophone', '--yes'], { home });
  expect(forgotten.code, forgotten.stdout + forgotten.stderr).toBe(0);
  expect(await held()).toBe('');
  expect((await lainclaw(['audit', 'verify'], { home })).json()).toMatchObject({ isSound: true });
  expect((await lainclaw(['memory', 'core', 'get'], { home })).stdout).not.toContain('xylophone');
});

it('what one machine saves another finds, and no home holds it', async () => {
  const { home, database } = await storeHome();
  const elsewhere = testHome();
  elsewhere.config({ provider: 'stub', store: database.url });
  const key = { LAINCLAW_STORE_KEY: 'cd'.repeat(32) };
  const run = (each: typeof home, ...args: string[]) => lainclaw(args, { home: each, env: key });
  expect((await run(home, 'memory', 'save', 'The plumber charges ninety euros.')).code).toBe(0);
  await run(home, 'ask', 'the otter is called Bruno');
  const found = (await run(elsewhere, 'memory', 'search', 'plumbers')).json<{
    results: { id: string; text: string }[];
  }>();
  expect(found.results.map(({ text: words }) => words)).toEqual(['The plumber charges ninety euros.']);
  expect((await run(elsewhere, 'sessions', 'search', 'otter')).json()).toMatchObject([{ sessionKey: 'main' }]);
  expect((await run(elsewhere, 'memory', 'forget', found.results[0]?.id ?? '')).code).toBe(0);
  expect((await run(home, 'memory', 'search', 'plumber')).json()).toMatchObject({ results: [] });
  const { lines } = (await run(home, 'audit', 'show', '--what', 'memory')).json<{
    lines: { what: string; machine: string }[];
  }>();
  expect(lines.map(({ what }) => what)).toEqual(['memory.save', 'memory.forget']);
  expect(new Set(lines.map(({ machine }) => machine)).size).toBe(2);
  for (const each of [home, elsewhere]) expect(existsSync(join(each.path, 'sessions', 'history.db'))).toBe(false);
});

it('sign-ins and core memory are in the database, encrypted; the key is in the home alone', async () => {
  const { home, database } = await storeHome();
  expect((await lainclaw(['memory', 'core', 'set', 'user', 'drink', 'green tea'], { home })).code).toBe(0);
  expect((await lainclaw(['memory', 'core', 'get'], { home })).stdout).toContain('green tea');
  expect(readdirSync(home.path)).not.toContain('core_memory.json');
  const rows = await superuser(
    database.port,
    async (client) => (await client.query('SELECT name, content FROM lainclaw.owner_files')).rows,
    database.name,
  );
  const kept = rows as { name: string; content: Buffer }[];
  expect(kept.map(({ name }) => name)).toContain('core_memory.json');
  for (const { content } of kept) expect(content.toString('latin1')).not.toContain('green tea');
  expect(text(home, 'store.key')).toMatch(/^[0-9a-f]{64}\n$/);
});

it('a gateway answers, and after a kill its successor answers what was left', async () => {
  const { home } = await storeHome();
  const folder = join(home.path, 'channels', 'local');
  mkdirSync(folder, { recursive: true });
  const gateway = (...args: string[]) => runBinary(['gateway', ...args], { home });
  afterFile(() => gateway('stop').catch(() => {}));
  const say = (id: string, words: string): void =>
    appendFileSync(
      join(folder, 'inbox.jsonl'),
      `${JSON.stringify({ id, chatId: 'c1', senderId: 'u1', text: words })}\n`,
    );
  const answers = (): string =>
    existsSync(join(folder, 'outbox.jsonl')) ? text(home, 'channels/local/outbox.jsonl') : '';

  expect((await gateway('start', '--daemon', '--channel=local', '--pairing-policy=open')).code).toBe(0);
  say('m1', 'the first question');
  await eventually(() => expect(answers()).toContain('the first question'));
  const { pid } = (await gateway('status')).json<{ pid: number }>();
  process.kill(pid, 'SIGKILL');
  say('m2', 'the second question');
  await eventually(async () =>
    expect((await gateway('start', '--daemon', '--channel=local', '--pairing-policy=open')).code).toBe(0),
  );
  await eventually(() => expect(answers()).toContain('the second question'));
  expect((await gateway('stop')).code).toBe(0);
  expect(existsSync(join(home.path, 'sessions'))).toBe(false);
});

it('memory that the home kept before is named until it is copied, and what is forgotten then is not named again', async () => {
  const { home, database } = await storeHome();
  home.config({ provider: 'stub' });
  const [kept, secret] = await Promise.all(
    ['Anna owns the payments service', 'the word is zebrafish'].map(async (said) =>
      (await lainclaw(['memory', 'save', said], { home })).json<{ id: string }>(),
    ),
  );
  home.config({ provider: 'stub', store: database.url });
  const { stderr, stdout } = await lainclaw(['store', 'status', '--text'], { home });
  expect(stdout + stderr).toContain('the memory of this home (2 texts) is not in the database');
  const migrated = await lainclaw(['store', 'migrate'], { home, env: { LAINCLAW_STORE_OWNER: database.ownerUrl } });
  expect(migrated.json()).toMatchObject({ steps: [], memoryInHome: 2 });
  const fix = 'lainclaw store copy --from local --to postgres';
  expect((await lainclaw(['doctor'], { home })).json()).toMatchObject({
    checks: expect.arrayContaining([expect.objectContaining({ name: 'store', state: 'advice', fix })]),
  });

  expect((await lainclaw(['store', 'copy', '--from', 'local', '--to', 'postgres'], { home })).code).toBe(0);
  expect((await lainclaw(['memory', 'forget', secret?.id ?? ''], { home })).code).toBe(0);
  expect((await lainclaw(['memory', 'list'], { home })).json()).toMatchObject([{ id: kept?.id }]);
  expect((await lainclaw(['store', 'status'], { home })).json()).toMatchObject({ memoryInHome: 0 });
});
