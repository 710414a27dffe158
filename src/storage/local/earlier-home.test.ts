// A home that the version before askers were kept has left: its tables as that version made them.
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLocalStorage } from './local-storage.ts';

const TABLES = `
  CREATE TABLE schedule_jobs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, definition TEXT NOT NULL, status TEXT NOT NULL, reason TEXT,
    failures INTEGER NOT NULL, last_slot INTEGER, next_slot INTEGER, next_due INTEGER, due_at INTEGER, run_id INTEGER);
  CREATE TABLE schedule_runs (
    id INTEGER PRIMARY KEY AUTOINCREMENT, job_id INTEGER NOT NULL, status TEXT NOT NULL, trigger TEXT NOT NULL, slot INTEGER,
    last_slot INTEGER, count INTEGER NOT NULL, late INTEGER NOT NULL, owner TEXT, started_at INTEGER, finished_at INTEGER,
    answer TEXT, reason TEXT, delivery TEXT NOT NULL);
  CREATE TABLE schedule_letters (
    key TEXT PRIMARY KEY, run_id INTEGER NOT NULL, chat TEXT NOT NULL, text TEXT NOT NULL, is_answer INTEGER NOT NULL);
  CREATE TABLE agent_runs (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, message TEXT NOT NULL, inject_into TEXT,
    request TEXT NOT NULL, state TEXT NOT NULL, created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER,
    cancel_requested INTEGER NOT NULL DEFAULT 0, result TEXT, error TEXT, session_id TEXT);
`;
const SOURCES = ['cli', 'tool', 'heartbeat'];

let home: string;
const closing: (() => Promise<void>)[] = [];
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'lainclaw-earlier-')), 'home');
  mkdirSync(home, { mode: 0o700 });
  const db = new DatabaseSync(join(home, 'lainclaw.db'));
  db.exec(`PRAGMA journal_mode = WAL; ${TABLES}`);
  for (const [index, source] of SOURCES.entries()) {
    const definition = JSON.stringify({
      name: source,
      when: '@daily',
      timetable: { kind: 'at', at: 9e12, timezone: 'UTC' },
      timezone: 'UTC',
      message: 'm',
      injectInto: 'local:anna',
      misfire: 'once',
      jitterMs: 0,
      maxFailures: 5,
      source,
      createdAt: 0,
    });
    db.prepare("INSERT INTO schedule_jobs (name, definition, status, failures) VALUES (?, ?, 'active', 0)").run(
      source,
      definition,
    );
    db.prepare(
      "INSERT INTO schedule_runs (job_id, status, trigger, count, late, delivery) VALUES (?, 'ok', 'slot', 0, 0, 'pending')",
    ).run(index + 1);
    db.prepare("INSERT INTO schedule_letters VALUES (?, ?, 'local:anna', 'hello', 1)").run(source, index + 1);
  }
  db.prepare("INSERT INTO schedule_letters VALUES ('of a removed job', 99, 'local:anna', 'hello', 1)").run();
  db.prepare(
    "INSERT INTO agent_runs (id, name, message, inject_into, request, state, created_at) VALUES ('run-1', 'n', 'm', 'local:anna', '{}', 'queued', 1)",
  ).run();
  db.close();
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  rmSync(join(home, '..'), { recursive: true, force: true });
});

function open() {
  const storage = createLocalStorage({ home, now: Date.now });
  closing.push(() => storage.close());
  return storage;
}

it('its jobs and messages are the owner’s where the owner added them, and nobody’s otherwise', async () => {
  const jobs = await open().jobs();
  const askers = Object.fromEntries((await jobs.list()).map(({ name, asker }) => [name, asker]));
  const expected = {
    cli: { kind: 'owner', chat: 'local:anna' },
    tool: { kind: 'nobody' },
    heartbeat: { kind: 'nobody' },
  };
  expect(askers).toEqual(expected);
  const messages = Object.fromEntries((await jobs.messages(10)).map(({ key, asker }) => [key, asker]));
  expect(messages).toEqual({ ...expected, 'of a removed job': { kind: 'nobody' } });
  await jobs.settleMessage('cli', 'sent');
  expect(await jobs.history('cli', 1)).toMatchObject([{ delivery: 'sent' }]);
});

it('its background runs are there, asked by nobody, and new ones can be added', async () => {
  const runs = await open().agentRuns();
  expect(await runs.get('run-1')).toMatchObject({ state: 'queued', asker: { kind: 'nobody' } });
  const asker = { kind: 'chat', chat: 'local:anna' } as const;
  await runs.add({ id: 'run-2', name: 'n', message: 'm', request: '{}', asker }, 2);
  expect((await runs.get('run-2'))?.asker).toEqual(asker);
  expect(await runs.undelivered(10)).toEqual([]);
});

it('processes that open it at the same moment do not get in each other’s way', async () => {
  const opened = Array.from({ length: 8 }, open);
  const found = await Promise.all(
    opened.map(async (storage) => {
      const [jobs, runs] = await Promise.all([storage.jobs(), storage.agentRuns()]);
      return [(await jobs.messages(10)).length, (await runs.list({ limit: 10 })).length];
    }),
  );
  expect(found).toEqual(opened.map(() => [4, 1]));
});

it('is backed up as it was before its tables are changed', async () => {
  await (await open().agentRuns()).list({ limit: 1 });
  const folder = join(home, 'backups');
  expect(readdirSync(folder)).toEqual(['before-lainclaw.db-0.backup']);
  const other = createLocalStorage({ home: join(home, '..', 'other'), now: Date.now });
  closing.push(() => other.close());
  const { signal } = new AbortController();
  const file = join(folder, 'before-lainclaw.db-0.backup');
  await (await other.backups()).restore({ file, lainclaw: '9.9.9', replace: false, signal });
  const restored = new DatabaseSync(join(home, '..', 'other', 'lainclaw.db'));
  expect(restored.prepare('PRAGMA user_version').get()).toEqual({ user_version: 0 });
  restored.close();
});

it.each([
  [
    'sessions/sessions.db',
    1,
    'before-sessions-sessions.db-1.backup',
    `CREATE TABLE sessions (key TEXT PRIMARY KEY, updated_at TEXT NOT NULL, entry TEXT NOT NULL, slot INTEGER, slot_bytes INTEGER NOT NULL DEFAULT 0) WITHOUT ROWID;
     CREATE TABLE index_file (only INTEGER PRIMARY KEY CHECK (only = 1), fingerprint TEXT NOT NULL, end INTEGER NOT NULL, free INTEGER NOT NULL);`,
  ],
  [
    'undo/undo.db',
    0,
    'before-undo-undo.db-0.backup',
    'CREATE TABLE contents (sha256 TEXT PRIMARY KEY, bytes INTEGER NOT NULL, encoding TEXT NOT NULL, data BLOB NOT NULL);',
  ],
])('is backed up before %s gets new tables', async (path, version, name, tables) => {
  rmSync(join(home, 'lainclaw.db'));
  mkdirSync(dirname(join(home, path)), { recursive: true });
  const db = new DatabaseSync(join(home, path));
  db.exec(`${tables} PRAGMA user_version = ${version}`);
  db.close();
  const storage = open();
  if (path.startsWith('undo')) await (await storage.undoRecords()).turns('session-1');
  else await storage.catalogue.list();
  expect(readdirSync(join(home, 'backups'))).toEqual([name]);
});
