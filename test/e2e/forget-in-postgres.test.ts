// `lainclaw memory forget --everywhere` with the records in PostgreSQL: no row of the database holds the text afterwards.
import { execFileSync } from 'node:child_process';
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newId } from '../../src/lib/new-id.ts';
import { createTermsOf } from '../../src/memory/terms-of.ts';
import { createLocalStorage } from '../../src/storage/local/local-storage.ts';
import { createPostgresStorage } from '../../src/storage/postgres/postgres-storage.ts';
import { unpack } from '../../src/storage/undo-content.ts';
import type { Home } from '../support/home.ts';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { type TestDatabase, testDatabase } from '../support/postgres.ts';
import { BINARIES, databaseUrl, superuser } from '../support/postgres-cluster.ts';
import { afterFile, testHome } from '../support/test-home.ts';

/** Two words of the index: neither may stay. */
const MARKER = 'Quillwort-sporangium';
const WORDS = /quillwort|sporangium/i;

function sharingHome({ url }: TestDatabase, first?: Home): Home {
  const home = testHome();
  home.config({ provider: 'stub', store: url });
  if (first) copyFileSync(join(first.path, 'store.key'), join(home.path, 'store.key'));
  return home;
}

function storageOf(home: Home, { url }: TestDatabase) {
  const local = createLocalStorage({ home: home.path, now: Date.now });
  return createPostgresStorage({ url, local, now: Date.now, newId });
}

/** The tables that hold one of the words in the dump. Bytes are shown as they are. */
function tablesHolding({ port, name }: TestDatabase): string[] {
  const url = databaseUrl(port, 'postgres', name);
  const dump = execFileSync(join(BINARIES, 'pg_dump'), ['--data-only', '--schema=lainclaw', url], {
    maxBuffer: 2 ** 28,
  }).toString();
  const shown = dump.replace(/\\\\x([0-9a-f]*)/g, (_, hex: string) => Buffer.from(hex, 'hex').toString('latin1'));
  return shown
    .split(/^COPY /m)
    .slice(1)
    .filter((table) => WORDS.test(table))
    .map((table) => (/^lainclaw\.(\w+)/.exec(table)?.[1] ?? '').toString());
}

/** What the dump shows encrypted or compressed. */
async function hiddenTexts(home: Home, database: TestDatabase): Promise<string> {
  const storage = storageOf(home, database);
  const files = await Promise.all((await storage.ownerFiles.list()).map((name) => storage.ownerFiles.read(name)));
  await storage.close();
  const contents = await superuser(
    database.port,
    async (client) => (await client.query('SELECT encoding, data FROM lainclaw.undo_contents')).rows,
    database.name,
  );
  return [...files, ...(await Promise.all(contents.map(unpack))).map(String)].join('\n');
}

const filesHolding = (home: Home): string[] =>
  readdirSync(home.path, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile() && WORDS.test(readFileSync(join(each.parentPath, each.name), 'latin1')))
    .map(({ name }) => name);

/** The marker in every store, and another word beside it that stays. */
async function live(home: Home, other: Home, database: TestDatabase): Promise<void> {
  const flags = ['--session', 'vault', '--memory', '--approve', 'auto'];
  await ask(home, `The vault opens with ${MARKER}, and the door is blue.`, ...flags);
  // At its beginning alone: what a model sees of it is cut, and half of a text cannot be recognised.
  const write = { path: 'vault.txt', content: `the ${MARKER} file\n${'another line\n'.repeat(8_000)}` };
  await ask(home, `tool:file_write ${JSON.stringify(write)}`, ...flags);
  await ask(home, `tool:tools.echo ${JSON.stringify({ text: write.content })}`, ...flags);
  for (let turn = 0; turn < 11; turn += 1) await ask(home, `Step ${turn} of the ${MARKER} plan.`, ...flags);
  await ask(other, `tool:tools.echo ${JSON.stringify({ text: MARKER })}`, '--session', 'elsewhere', '--memory');
  const run = (...args: string[]) => lainclaw(args, { home });
  await run('sessions', 'rename', 'vault', `About ${MARKER}`);
  await run('memory', 'save', `Remember ${MARKER.toUpperCase()} well.`);
  await run('memory', 'save', 'Remember the umbrella.');
  await run('memory', 'core', 'set', 'user', 'vault', MARKER);
  await run('memory', 'core', 'set', 'user', 'vault', `${MARKER} again`);
  await run('memory', 'core', 'set', 'user', 'city', 'Riga');
  await run('schedule', 'add', 'nightly', '--cron', '0 3 * * *', '--message', `is ${MARKER} safe?`);
  await run('sessions', 'search', 'door');
  await liveInStores(home, database);
}

async function liveInStores(home: Home, database: TestDatabase): Promise<void> {
  const storage = storageOf(home, database);
  const { sessionId = '' } = (await storage.catalogue.get('vault')) ?? {};
  const { facts } = await storage.archive();
  const conversation = { sessionId, sessionKey: 'vault', scope: 'owner' as const, turnIds: ['turn-x'], tainted: false };
  await facts.wait({ ...conversation, turnId: 'turn-x', endedAt: 1 });
  const [source, date] = [{ turnId: 'turn-x', saidAt: '2026-01-01' }, '2026-01-01T00:00:00.000Z'];
  const fact = (text: string) => ({ text, kind: 'fact' as const, source, validFrom: '2026-01-01' });
  const document = { id: 'fact-1', source: 'fact', date, hash: 'h', kind: 'fact' as const };
  const kept = await facts.keep(
    {
      conversation,
      at: 1,
      changes: [
        {
          ...fact(`has a ${MARKER}`),
          relation: 'new',
          document: { ...document, chunks: [{ context: '', text: `has a ${MARKER}` }] },
        },
        { ...fact(`keeps a ${MARKER}`), relation: 'proposed', why: 'unsure' as never, topic: MARKER },
      ],
    },
    createTermsOf(),
  );
  expect(kept).toMatchObject({ ids: ['fact-1'], proposals: 1 });
  const mailbox = await storage.mailbox();
  const lock = await storage.locks.acquire('gateway-1');
  const chat = { channel: 'local', account: 'default', chatId: 'one' };
  await mailbox.receive(lock, { chat, id: 'in-1', order: 1, receivedAt: 1, body: JSON.stringify({ text: MARKER }) });
  await mailbox.enqueue([{ key: 'out-1', chat, body: `it is ${MARKER}` }], 1);
  const runs = await storage.agentRuns();
  await runs.add({ id: 'run-1', name: 'n', message: MARKER, asker: { kind: 'nobody' }, request: '{}' }, 1);
  await lock.release();
  await storage.close();
}

it('no row of the database holds a text that was forgotten', async () => {
  const database = await testDatabase();
  afterFile(() => database.drop());
  const home = sharingHome(database);
  await lainclaw(['memory', 'core', 'set', 'user', 'name', 'Ada'], { home });
  const other = sharingHome(database, home);
  await live(home, other, database);
  const before = tablesHolding(database);
  for (const table of [
    ...['archive_chunks', 'archive_terms', 'archive_postings', 'history_chunks', 'history_terms', 'history_postings'],
    ...['transcript_lines', 'sessions', 'session_notes', 'audit_lines', 'fact_proposals'],
    ...['inbox', 'outbox', 'schedule_jobs', 'agent_runs'],
  ])
    expect(before).toContain(table);
  expect(await hiddenTexts(home, database)).toMatch(WORDS);

  const forgotten = await lainclaw(['memory', 'forget', '--everywhere', MARKER, '--yes'], { home });
  expect(forgotten.json(), forgotten.stderr).toMatchObject({ forgotten: true, waiting: [], left: [] });
  expect(tablesHolding(database)).toEqual([]);
  expect(await hiddenTexts(home, database)).not.toMatch(WORDS);
  expect(filesHolding(home)).toEqual([]);

  const found = await lainclaw(['memory', 'search', 'umbrella'], { home });
  expect(found.json<{ results: unknown[] }>().results).toHaveLength(1);
  expect((await lainclaw(['memory', 'core', 'get'], { home })).stdout).toContain('Riga');
  const searched = await lainclaw(['sessions', 'search', 'door'], { home });
  expect(searched.stdout).toContain('the door is blue');
  expect((await lainclaw(['audit', 'verify', '--json'], { home })).json()).toMatchObject({ isSound: true });
});
