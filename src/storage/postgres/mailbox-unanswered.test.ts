// A transaction whose COMMIT ran, and whose answer never came: the caller got an error and has nothing of it.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type TestDatabase, testDatabase } from '../../../test/support/postgres.ts';
import { newId } from '../../lib/new-id.ts';
import type { InboxMessage, Mailbox } from '../mailbox.ts';
import { StorageError } from '../storage.ts';
import { openDatabase } from './connect.ts';
import type { PostgresDatabase } from './database.ts';
import { createPostgresLocks, type PostgresLocks } from './leases.ts';
import { createPostgresMailbox } from './mailbox.ts';

const BOT = { channel: 'local', account: 'default' };
const BOTS = { bots: [BOT] };
const incoming = (id: string, chatId = 'a', receivedAt = 1): InboxMessage => ({
  chat: { ...BOT, chatId },
  id,
  order: 0,
  receivedAt,
  body: '{}',
});

let test: TestDatabase;
let database: PostgresDatabase;
let locks: PostgresLocks;
let mailbox: Mailbox;
/** Transactions until the one whose answer is lost; 0: none is. */
let lostIn: number;

beforeEach(async () => {
  test = await testDatabase();
  database = openDatabase({ url: test.url });
  locks = createPostgresLocks({ query: database.query, newId });
  lostIn = 0;
  mailbox = createPostgresMailbox({
    ...database,
    async transaction(work) {
      const result = await database.transaction(work);
      lostIn -= 1;
      if (lostIn === 0) throw new StorageError('STORAGE_UNREACHABLE', 'the answer to COMMIT was lost');
      return result;
    },
  });
});

afterEach(async () => {
  await locks.close();
  await database.close();
  await test.drop();
});

async function losesAnswer(work: () => Promise<unknown>, after = 1): Promise<void> {
  lostIn = after;
  await expect(work()).rejects.toMatchObject({ code: 'STORAGE_UNREACHABLE' });
  lostIn = 0;
}

const idsOf = (messages: readonly { id: string }[]): string[] => messages.map(({ id }) => id);

it('a message whose storing got no answer is handed out when it comes again, once', async () => {
  const lock = await locks.acquire('bot');
  await losesAnswer(() => mailbox.receive(lock, incoming('m1')));
  expect(await mailbox.claim(lock, BOTS)).toEqual([]);
  expect(await mailbox.receive(lock, incoming('m1'))).toBe('claimed');
  expect(await mailbox.receive(lock, incoming('m1'))).toBe('known');
});

it('a message whose storing got no answer twice is handed out the third time', async () => {
  const lock = await locks.acquire('bot');
  await losesAnswer(() => mailbox.receive(lock, incoming('m1')));
  await losesAnswer(() => mailbox.receive(lock, incoming('m1')));
  expect(await mailbox.receive(lock, incoming('m1'))).toBe('claimed');
});

it('a message that waits here already is known, also when storing it again got no answer', async () => {
  const lock = await locks.acquire('bot');
  expect(await mailbox.receive(lock, incoming('m1', 'a', 1))).toBe('claimed');
  await losesAnswer(() => mailbox.receive(lock, incoming('m1', 'a', 2)));
  expect(await mailbox.receive(lock, incoming('m1', 'a', 3))).toBe('known');
});

it.each(['handled already', 'still handled'] as const)(
  'a message that the next acquisition of the bot took up is known when it comes again: %s',
  async (state) => {
    const first = await locks.acquire('bot');
    await losesAnswer(() => mailbox.receive(first, incoming('m1')));
    await first.release();
    const second = await locks.acquire('bot');
    expect(idsOf(await mailbox.claim(second, BOTS))).toEqual(['m1']);
    if (state === 'handled already') await mailbox.finish(second, [incoming('m1')], [], 1);
    expect(await mailbox.receive(second, incoming('m1'))).toBe('known');
  },
);

it('a message behind those of another claimant is queued again when it comes again', async () => {
  const [other, lock] = [await locks.acquire('other'), await locks.acquire('bot')];
  await mailbox.receive(other, incoming('m1'));
  await losesAnswer(() => mailbox.receive(lock, incoming('m2')));
  expect(await mailbox.receive(lock, incoming('m2'))).toBe('queued');
});

it('a claim that got no answer is answered by the next one, once and without what is handled already', async () => {
  const gone = await locks.acquire('gone');
  await mailbox.receive(gone, incoming('m1'));
  await mailbox.receive(gone, incoming('m2', 'b'));
  await mailbox.begin(gone, [incoming('m1')], 'turn-1');
  await gone.release();
  const lock = await locks.acquire('bot');
  await losesAnswer(() => mailbox.claim(lock, BOTS));
  await mailbox.receive(lock, incoming('m3'));
  await mailbox.finish(lock, [incoming('m2', 'b')], [], 1);
  expect(await mailbox.claim(lock, { chat: { ...BOT, chatId: 'c' } })).toEqual([]);
  expect(await mailbox.claim(lock, BOTS)).toEqual([{ ...incoming('m1'), turnId: 'turn-1' }]);
  expect(await mailbox.claim(lock, BOTS)).toEqual([]);
});

it('a claim that fails after its first hundred chats returns all of them next time', async () => {
  const gone = await locks.acquire('gone');
  const ids = Array.from({ length: 102 }, (_, index) => `m${String(index).padStart(3, '0')}`);
  await Promise.all(ids.map((id) => mailbox.receive(gone, incoming(id, `chat-${id}`))));
  await gone.release();
  const lock = await locks.acquire('bot');
  await losesAnswer(() => mailbox.claim(lock, BOTS), 2);
  expect(idsOf(await mailbox.claim(lock, BOTS)).toSorted()).toEqual(ids);
});
