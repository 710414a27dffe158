// What a gateway left that has lost its bot: another one takes it up while it runs.
import { expect, it } from 'vitest';
import { echo, runEnd, testChats } from '../../../test/support/chats.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { StorageError } from '../../storage/storage.ts';
import { bodyOf, type ChatMessage } from './chat.ts';

it('a message that was stored late by a gateway that had lost the bot is answered once somebody looks', async () => {
  const chats = await testChats();
  const gateway = await chats.start();
  const chat = { channel: 'local', account: 'default', chatId: 'anna' };
  const message = {
    id: 'late-1',
    chatId: 'anna',
    chatKind: 'direct' as const,
    isAddressed: true,
    sender: { id: 'anna' },
    text: 'are you there',
    files: [],
    order: 1,
    sentAt: 1,
  };
  const body = bodyOf({ chat, message, isOwner: true } as ChatMessage);
  await chats.mailbox.receive(
    { name: 'bot:local/default', token: 1 },
    { chat, id: 'late-1', order: 1, receivedAt: 1, body },
  );
  expect(chats.asked).toEqual([]);
  gateway.wake();
  await chats.says(['echo: are you there']);
  gateway.wake();
  await eventually(async () => expect((await chats.mailbox.counts()).inbox).toBe(0));
  expect(chats.asked).toHaveLength(1);
});

it('a turn whose messages another gateway claimed before the conversation was locked asks and answers nothing', async () => {
  const locked = Promise.withResolvers<void>();
  const ended = Promise.withResolvers<boolean | undefined>();
  const chats = await testChats(async function* (request) {
    await locked.promise;
    const isStillOurs = await request.isStillOurs?.();
    ended.resolve(isStillOurs);
    if (isStillOurs) yield* echo(request);
  });
  await chats.start({ isStillOurs: async () => true, claimant: { name: 'bot:local/default', token: 1 } });
  const { id } = await chats.write('hello');
  await eventually(() => expect(chats.asked).toHaveLength(1));
  const chat = { channel: 'local', account: 'default', chatId: 'anna' };
  const claimed = await chats.mailbox.claim({ name: 'bot:local/default', token: 2 }, { chat });
  expect(claimed).toMatchObject([{ id, turnId: expect.any(String) }]);
  locked.resolve();
  expect(await ended.promise).toBe(false);
  await eventually(() => expect(chats.logged.join('\n')).toContain('taken over by another gateway'));
  expect(await chats.said()).toEqual([]);
  expect(await chats.mailbox.unfinished(chat)).toMatchObject([{ id }]);
});

it('a claim that is known to have lasted since before the turn was recorded is not asked about again', async () => {
  const ended = Promise.withResolvers<boolean | undefined>();
  const claimed = Promise.withResolvers<void>();
  const chats = await testChats(async function* (request) {
    await claimed.promise;
    ended.resolve(await request.isStillOurs?.());
    yield* echo(request);
  });
  const moments: number[] = [];
  const begins = performance.now();
  await chats.start({
    isStillOurs: async () => true,
    isOursSince: (since) => moments.push(since) > 0,
    claimant: { name: 'bot:local/default', token: 1 },
  });
  await chats.write('hello');
  await eventually(() => expect(chats.asked).toHaveLength(1));
  const asked = performance.now();
  const chat = { channel: 'local', account: 'default', chatId: 'anna' };
  await chats.mailbox.claim({ name: 'bot:local/default', token: 2 }, { chat });
  claimed.resolve();
  expect(await ended.promise).toBe(true);
  expect(moments).toHaveLength(1);
  expect(moments[0]).toBeGreaterThanOrEqual(begins);
  expect(moments[0]).toBeLessThanOrEqual(asked);
});

it.each(['STORAGE_LOCK_LOST', 'STORAGE_UNREACHABLE'])(
  'a turn that ends with %s is taken up again as after a crash, and nobody reads about it',
  async (code) => {
    const origins: unknown[] = [];
    const chats = await testChats(async function* (request) {
      origins.push(request.origin);
      const error = { code, message: 'the database was away' };
      if (origins.length === 1) yield runEnd(request, '', { success: false, stage: 'failed', error });
      else yield* echo(request);
    });
    await chats.start();
    await chats.write('hello');
    await chats.says(['echo: hello']);
    expect(origins).toEqual([expect.any(String), origins[0]]);
  },
);

it.each(['STORAGE_LOCK_LOST', 'STORAGE_UNREACHABLE'] as const)(
  'a turn that could not be prepared because of %s is taken up again, and nobody reads about it',
  async (code) => {
    const chats = await testChats();
    let failures = 0;
    await chats.start({
      mailbox: {
        ...chats.mailbox,
        async choices(chat) {
          failures += 1;
          if (failures === 1) throw new StorageError(code, 'the database was away');
          return chats.mailbox.choices(chat);
        },
      },
    });
    failures = 0;
    await chats.write('hello');
    await chats.says(['echo: hello']);
    expect(failures).toBeGreaterThan(1);
  },
);
