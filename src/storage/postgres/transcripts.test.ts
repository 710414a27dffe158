import { afterEach, beforeEach, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { createRedaction } from '../redaction.ts';
import type { Transcripts } from '../storage.ts';
import { openDatabase } from './connect.ts';
import type { PostgresDatabase } from './database.ts';
import { createFencing } from './fencing.ts';
import { createPostgresTranscripts } from './transcripts.ts';

const line = (number: number): { type: string; number: number } => ({ type: 'note', number });
let made: TestDatabase;
let database: PostgresDatabase;
let transcripts: Transcripts;

beforeEach(async () => {
  made = await testDatabase();
  database = openDatabase({ url: made.url });
  transcripts = createPostgresTranscripts(
    database,
    createFencing(database, () => {}),
  );
});
afterEach(async () => {
  await database.close();
  await made.drop();
});

async function numbers(): Promise<unknown[]> {
  const found = await Array.fromAsync(transcripts.scan('one'));
  return found.map((each) => ('line' in each ? each.line.number : each.damaged));
}

it('a sync writes lines again that a crash of the database has taken back', async () => {
  const transcript = await transcripts.open('one');
  await transcript.append([line(1)]);
  await transcript.sync();
  await transcript.append([line(2), line(3)]);
  await database.query('DELETE FROM lainclaw.transcript_lines WHERE number > 1');
  await transcript.append([line(4)]);
  await transcript.sync();
  await transcript.close();
  expect(await numbers()).toEqual([1, 2, 3, 4]);
});

it('lines that are appended and synced in one step bring those along that a crash of the database has taken back', async () => {
  const transcript = await transcripts.open('one');
  await transcript.append([line(1)], { thenSync: true });
  await transcript.append([line(2), line(3)]);
  await database.query('DELETE FROM lainclaw.transcript_lines WHERE number > 1');
  await transcript.append([line(4)], { thenSync: true });
  await Promise.all([transcript.append([line(5)]), transcript.append([line(6)], { thenSync: true })]);
  await transcript.sync();
  await transcript.close();
  expect(await numbers()).toEqual([1, 2, 3, 4, 5, 6]);
});

it('lines that were written although it was reported that they were not are kept once', async () => {
  const transcript = await transcripts.open('one');
  await transcript.append([line(1)]);
  // The statement ran, its answer was lost, and it was sent again.
  const lost = createPostgresTranscripts(
    database,
    createFencing(
      {
        ...database,
        async query(text, values) {
          await database.query(text, values);
          return database.query(text, values);
        },
      },
      () => {},
    ),
  );
  const again = await lost.open('one');
  await again.append([line(2)]);
  await again.sync();
  expect(await numbers()).toEqual([1, 2]);
});

it('of two writers without a lock the second is refused, and nothing is overwritten', async () => {
  const [first, second] = [await transcripts.open('one'), await transcripts.open('one')];
  await first.append([line(1)]);
  await expect(second.append([line(2)])).rejects.toMatchObject({ code: 'STORAGE_LOCK_LOST' });
  expect(await numbers()).toEqual([1]);
});

it('a transcript of a newer version is refused', async () => {
  const transcript = await transcripts.open('one');
  await transcript.append([{ type: 'session', version: 99 }]);
  await expect(transcripts.open('one')).rejects.toMatchObject({ code: 'STORAGE_NEWER_VERSION' });
  await expect(Array.fromAsync(transcripts.scan('one'))).rejects.toMatchObject({ code: 'STORAGE_NEWER_VERSION' });
});

it('a revision names the lines, and is another one after a text was removed from them', async () => {
  const transcript = await transcripts.open('one');
  await transcript.append([line(1)]);
  const before = await transcripts.revision('one');
  expect(transcript.revision()).toBe(before);
  await transcript.append([{ type: 'note', text: 'my secret plan' }]);
  const after = (await transcripts.revision('one')) ?? '';
  expect(transcripts.isContinued(before ?? '', after)).toBe(true);
  expect(transcripts.isContinued(after, before ?? '')).toBe(false);
  expect(await transcripts.redact('one', createRedaction('secret'), { type: 'redaction' })).toBe(1);
  const redacted = (await transcripts.revision('one')) ?? '';
  expect(transcripts.isContinued(after, redacted)).toBe(false);
  const lines = (await Array.fromAsync(transcripts.scan('one'))).map((each) => 'line' in each && each.line);
  expect(lines.slice(1)).toEqual([
    { type: 'note', text: 'my [forgotten] plan' },
    { type: 'redaction', lines: 1 },
  ]);
  expect(await transcripts.redact('absent', createRedaction('secret'), { type: 'redaction' })).toBe(0);
});
