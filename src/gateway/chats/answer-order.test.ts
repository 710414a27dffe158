// People see the answers of a chat in the order in which they wrote, also while something delays one of them. The mailbox is in PostgreSQL.
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Answer, echo, testChats } from '../../../test/support/chats.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { postgresSubject } from '../../../test/support/postgres-subject.ts';
import type { Lock } from '../../storage/locks.ts';
import type { Mailbox } from '../../storage/mailbox.ts';
import type { Storage } from '../../storage/storage.ts';

let subject: Awaited<ReturnType<typeof postgresSubject>>;
let storage: Storage;
let mailbox: Mailbox;
let claimant: Lock;
beforeEach(async () => {
  subject = await postgresSubject();
  storage = subject.open();
  mailbox = await storage.mailbox();
  claimant = await storage.locks.acquire('gateway:one');
});
afterEach(async () => {
  await storage.close();
  await subject.remove();
});

it('the progress of a turn is shown below an answer that was given before it and is sent late', async () => {
  const gate = Promise.withResolvers<void>();
  const answer: Answer = async function* (request) {
    if (request.input === 'two') await gate.promise;
    yield* echo(request);
  };
  const chats = await testChats(answer);
  let looks = 0;
  const counted: Mailbox = {
    ...mailbox,
    hasWaiting(chat) {
      looks += 1;
      return mailbox.hasWaiting(chat);
    },
  };
  chats.platform.failWith(({ markdown }) => (markdown === 'echo: one' ? { kind: 'unreachable' } : undefined));
  const limits = { progressAfterMs: 10, progressEveryMs: 10 };
  const gateway = await chats.start({ mailbox: counted, claimant, limits });
  await chats.write('one');
  await eventually(async () => expect(await mailbox.due(Number.MAX_SAFE_INTEGER, 1)).toMatchObject([{ attempts: 1 }]));
  await chats.write('two');
  // It was about to be shown, or is shown.
  await eventually(async () => expect(looks > 2 || (await chats.said()).length > 0).toBe(true));
  chats.platform.failWith(undefined);
  await chats.says(['echo: one', '⏳ Working on it…']);
  gate.resolve();
  await chats.says(['echo: one', 'echo: two']);
  await gateway.drain(AbortSignal.abort());
});

it('a message that was sent while the outbox was read is not sent again', async () => {
  const chats = await testChats();
  const chat = { channel: 'local', account: 'default', chatId: 'anna' };
  const read = Promise.withResolvers<void>();
  const sending = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  const slow: Mailbox = {
    ...mailbox,
    async due(...asked) {
      const found = await mailbox.due(...asked);
      // The second answer is on its way for long.
      if (found.length > 0 && (await chats.said()).length > 0) {
        read.resolve();
        await answered.promise;
      }
      return found;
    },
    async sent(...asked) {
      sending.resolve();
      await read.promise;
      await mailbox.sent(...asked);
    },
  };
  const channels = [chats.platform.open({ isIdempotent: false })];
  const gateway = await chats.start({ mailbox: slow, claimant, channels });
  await gateway.send(chat, 'one');
  await sending.promise;
  gateway.wake();
  await eventually(async () => expect((await mailbox.counts()).outbox).toBe(0));
  await gateway.send(chat, 'two');
  answered.resolve();
  await eventually(async () => expect((await mailbox.counts()).outbox).toBe(0));
  await chats.says(['one', 'two']);
  await gateway.drain(AbortSignal.abort());
});
