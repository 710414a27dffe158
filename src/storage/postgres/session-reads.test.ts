// What is read of a session in the round trip in which its lock is acquired.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { postgresSubject } from '../../../test/support/postgres-subject.ts';
import type { SessionEntry, Storage } from '../storage.ts';
import { openDatabase } from './connect.ts';
import { requireFence } from './fence.ts';

const KEY = 'main';
const entry = (sessionId: string): SessionEntry => ({
  sessionKey: KEY,
  sessionId,
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
});
const FIRST = { type: 'session', version: 1, sessionKey: KEY, sessionId: 'one' };

let subject: Awaited<ReturnType<typeof postgresSubject>>;
let one: Storage;
let other: Storage;
beforeEach(async () => {
  subject = await postgresSubject();
  [one, other] = [subject.open(), subject.open()];
});
afterEach(async () => {
  await Promise.all([one.close(), other.close()]);
  await subject.remove();
});

const lockOf = ({ locks }: Storage) => locks.acquire(`session:${KEY}`, { soon: true });

async function lines(storage: Storage): Promise<number> {
  let count = 0;
  for await (const _line of storage.transcripts.scan('one')) count += 1;
  return count;
}

it('is what the holder before wrote, and later what this holder wrote', async () => {
  const before = await lockOf(other);
  expect(await other.catalogue.get(KEY, before)).toBeUndefined();
  const written = await other.transcripts.open('one', before);
  await written.append([FIRST], { thenSync: true });
  await other.catalogue.put(entry('one'), before);
  await before.release();

  const lock = await lockOf(one);
  expect(await one.catalogue.get(KEY, lock)).toEqual(entry('one'));
  const transcript = await one.transcripts.open('one', lock);
  expect(transcript.isEmpty).toBe(false);
  await transcript.append([{ type: 'note' }], { thenSync: true });
  await transcript.close();
  await one.catalogue.put(entry('two'), lock);
  expect(await one.catalogue.get(KEY, lock)).toEqual(entry('two'));
  const again = await one.transcripts.open('one', lock);
  await again.append([{ type: 'note' }], { thenSync: true });
  expect(await lines(one)).toBe(3);
});

it('is not older than a write that the acquisition had to wait for', async () => {
  const before = await lockOf(other);
  const written = await other.transcripts.open('one', before);
  await other.catalogue.put(entry('one'), before);
  await written.append([FIRST], { thenSync: true });
  await subject.breakLock(before.name);
  const database = openDatabase({ url: subject.url });
  let acquiring: ReturnType<typeof lockOf> | undefined;
  await database.transaction(async (query) => {
    await requireFence(query, before);
    await query('INSERT INTO lainclaw.transcript_lines (session_id, number, json) VALUES ($1, 2, $2)', ['one', '{}']);
    acquiring = lockOf(one);
    await eventually(async () => {
      const waiting = await query(
        'SELECT 1 FROM pg_locks WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))',
      );
      if (waiting.length === 0) throw new Error('the acquisition does not wait yet');
    });
  });
  await database.close();
  const lock = await acquiring;
  const transcript = await one.transcripts.open('one', lock);
  await transcript.append([{ type: 'note' }], { thenSync: true });
  expect(await lines(one)).toBe(3);
});
