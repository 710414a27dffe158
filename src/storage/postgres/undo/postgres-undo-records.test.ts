import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeRemoval } from '../../../../test/conformance/removal.ts';
import { describeUndoRecords } from '../../../../test/conformance/undo-records.ts';
import { eventually } from '../../../../test/support/eventually.ts';
import { type TestDatabase, testDatabase } from '../../../../test/support/postgres.ts';
import { postgresSubject } from '../../../../test/support/postgres-subject.ts';
import { createRedaction } from '../../redaction.ts';
import { openDatabase } from '../connect.ts';
import type { PostgresDatabase } from '../database.ts';
import { createFencing } from '../fencing.ts';
import { createPostgresUndoRecords, type PostgresUndoRecordsOptions } from './postgres-undo-records.ts';

describeUndoRecords('PostgreSQL', async () => {
  const { open, remove } = await postgresSubject();
  return { open, remove: async () => remove() };
});
describeRemoval('PostgreSQL', () => postgresSubject({ onOneMachine: true }));

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

const scope = (turnId: string) => ({ sessionId: 's', turnId, root: '/ws' });
const change = (before: string, after: string) => ({
  tool: 'file_write',
  path: 'a',
  before: { bytes: Buffer.from(before), mode: 0o600 },
  after: { bytes: Buffer.from(after), mode: 0o600 },
  madeDirectories: [],
});
const openRecords = (more: Partial<PostgresUndoRecordsOptions> = {}) =>
  createPostgresUndoRecords({ database, fencing: createFencing(database, () => {}), now: () => 1_000, ...more });
const contents = async (): Promise<number> => (await database.query('SELECT 1 FROM lainclaw.undo_contents')).length;

it('drops turns that are too old, with contents that nothing else needs', async () => {
  let now = 0;
  const records = openRecords({ now: () => now, maxAgeMs: 100 });
  await records.add(scope('t1'), [change('one', 'two')]);
  now = 200;
  await records.add(scope('t2'), [change('two', 'three')]);
  expect((await records.turns('s')).map(({ turnId }) => turnId)).toEqual(['t2']);
  expect(await contents()).toBe(2);
});

it('a session that is removed while its turns are copied leaves their contents to the copy', async () => {
  const records = openRecords();
  await records.add(scope('t1'), [change('one', 'two')]);
  const waits = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`;
  let removing: Promise<void> | undefined;
  let isRemoved = false;
  const copying = openRecords({
    database: {
      ...database,
      transaction: (work) =>
        database.transaction(async (query) => {
          const result = await work(query);
          removing ??= records.forgetSession('s').then(() => {
            isRemoved = true;
          });
          // Removed already, or waiting for this transaction. Within one transaction PostgreSQL shows the same activity again, so another connection looks.
          await eventually(async () => {
            // A transaction that is idle for two seconds is ended.
            await query('SELECT 1');
            expect(isRemoved || (await database.query(waits)).length > 0).toBe(true);
          });
          return result;
        }),
    },
  });
  await copying.copy('s', 'copy', new Set(['t1']));
  await removing;
  const [turn] = await records.turns('copy');
  const [copied] = turn ? await records.changes(turn) : [];
  expect(Buffer.from(await records.content(copied?.after?.sha256 ?? '')).toString()).toBe('two');
});

it('drops the oldest turns when everything together is too large', async () => {
  const records = openRecords({ maxBytes: 500 });
  for (let number = 1; number <= 128; number += 1)
    await records.add(scope(`t${number}`), [change(`before ${number}`, 'x'.repeat(100) + number)]);
  const turns = await records.turns('s');
  expect(turns.at(-1)?.turnId).toBe('t128');
  expect(turns.length).toBeLessThan(64);
  expect(await contents()).toBeLessThanOrEqual(2 * turns.length);
});

it('a content that is removed and recorded again at the same time is not lost', async () => {
  const records = openRecords();
  for (let round = 0; round < 20; round += 1) {
    await records.add(scope(`old-${round}`), [change('same', 'content')]);
    await Promise.all([
      records.forget(scope(`old-${round}`)),
      records.add(scope(`new-${round}`), [change('same', 'content')]),
    ]);
    const turn = (await records.turns('s')).find(({ turnId }) => turnId === `new-${round}`);
    const [recorded] = turn ? await records.changes(turn) : [];
    expect((await records.content(recorded?.after?.sha256 ?? '')).toString()).toBe('content');
    await records.forget(scope(`new-${round}`));
  }
});

it('removes a text from contents and paths, and says that the rest is not covered', async () => {
  const records = openRecords();
  await records.add(scope('t1'), [change('my secret plan', 'x'), { ...change('y', 'z'), path: 'b' }]);
  const secret = createRedaction('secret');
  expect(await records.redact(secret, 'find')).toEqual([{ place: 'undo record', name: '', count: 1 }]);
  expect(await records.redact(secret, 'remove')).toEqual([{ place: 'undo record', name: '', count: 1 }]);
  expect(await records.redact(secret, 'find')).toEqual([]);
  const [turn] = await records.turns('s');
  const changes = turn ? await records.changes(turn) : [];
  expect(changes.map(({ kind, path }) => [kind, path])).toEqual([
    ['not-covered', 'its content was forgotten'],
    ['file', 'b'],
  ]);
});
