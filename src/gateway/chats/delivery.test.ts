import { setImmediate, setTimeout as sleep } from 'node:timers/promises';
import { expect, it } from 'vitest';
import type { PlatformFault } from '../../../test/conformance/channel-subject.ts';
import { testChats } from '../../../test/support/chats.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ChannelError } from '../../channels/channel.ts';
import { StorageError } from '../../storage/storage.ts';

/** A clock that can be put forward. */
function clock(): { now(): number; forward(ms: number): void } {
  let ahead = 0;
  return {
    now: () => Date.now() + ahead,
    forward(ms) {
      ahead += ms;
    },
  };
}

const chat = (chatId: string) => ({ channel: 'local', account: 'default', chatId });

it('what could not be sent is sent again later, and holds up only its own chat', async () => {
  const chats = await testChats();
  const { now, forward } = clock();
  const faults = new Map<string, PlatformFault>([['anna', { kind: 'unreachable' }]]);
  chats.platform.failWith(({ chatId }) => faults.get(chatId));
  const gateway = await chats.start({ now });
  await gateway.send(chat('anna'), 'one');
  await gateway.send(chat('anna'), 'two');
  await gateway.send(chat('boris'), 'three');
  await chats.says(['three'], 'boris');
  await eventually(async () => expect(await chats.mailbox.due(now() + 60_000, 9)).toMatchObject([{ attempts: 1 }]));
  expect(await chats.said()).toEqual([]);
  faults.clear();
  forward(3_000);
  await gateway.revive(undefined);
  await chats.says(['one', 'two']);
});

it('waits longer after each failure, up to some minutes', async () => {
  const chats = await testChats();
  const { now, forward } = clock();
  chats.platform.failWith(() => ({ kind: 'unreachable' }));
  const gateway = await chats.start({ now, random: () => 1 });
  await gateway.send(chat('anna'), 'one');
  const waits: number[] = [];
  for (let attempt = 1; attempt <= 12; attempt += 1) {
    await eventually(async () => {
      expect(await chats.mailbox.due(Number.MAX_SAFE_INTEGER, 1)).toMatchObject([{ attempts: attempt }]);
    });
    const [waiting] = await chats.mailbox.due(Number.MAX_SAFE_INTEGER, 1);
    waits.push(Math.round(((waiting?.dueAt ?? 0) - now()) / 1_000));
    forward(600_000);
    await gateway.revive(undefined);
  }
  expect(waits).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300, 300]);
});

it('a limit of the platform holds back everything of that bot, and does not count as a failure of the message', async () => {
  const chats = await testChats();
  const { now, forward } = clock();
  let requests = 0;
  chats.platform.failWith(() => {
    requests += 1;
    return { kind: 'rate-limited', retryAfterMs: 60_000 };
  });
  const gateway = await chats.start({ now });
  await gateway.send(chat('anna'), 'one');
  await eventually(async () => expect(await chats.mailbox.due(now() + 61_000, 9)).toMatchObject([{ attempts: 1 }]));
  expect(await chats.mailbox.due(now() + 55_000, 9)).toEqual([]);
  expect(requests).toBe(1);
  chats.platform.failWith(undefined);
  forward(61_000);
  await gateway.revive(undefined);
  await chats.says(['one']);
});

it('a clock that is set back holds nothing up', async () => {
  const chats = await testChats();
  const { now, forward } = clock();
  chats.platform.failWith(() => ({ kind: 'unreachable' }));
  const gateway = await chats.start({ now });
  await gateway.send(chat('anna'), 'one');
  await eventually(async () => expect(await chats.mailbox.due(now() + 60_000, 9)).toMatchObject([{ attempts: 1 }]));
  chats.platform.failWith(undefined);
  forward(-24 * 60 * 60_000);
  await gateway.revive(undefined);
  await chats.says(['one']);
});

it('what the platform will never take is a dead letter, the next goes out, and it can be sent again', async () => {
  const chats = await testChats();
  chats.platform.failWith(({ markdown }) => (markdown === 'bad' ? { kind: 'rejected' } : undefined));
  const gateway = await chats.start();
  await gateway.send(chat('anna'), 'bad');
  await gateway.send(chat('anna'), 'good');
  await chats.says(['good']);
  expect((await gateway.status()).mailbox).toMatchObject({ dead: 1 });
  const [letter] = await gateway.deadLetters();
  expect(letter).toMatchObject({ chat: chat('anna'), lastError: 'the platform is rejected' });
  chats.platform.failWith(undefined);
  expect(await gateway.revive(letter?.key)).toBe(1);
  await chats.says(['good', 'bad']);
  expect(await gateway.deadLetters()).toEqual([]);
});

it('an answer that was lost is sent once where the platform knows keys', async () => {
  const chats = await testChats();
  const { now, forward } = clock();
  const gateway = await chats.start({ now });
  chats.platform.failNextSend?.({ kind: 'answer-lost' });
  await gateway.send(chat('anna'), 'one');
  await eventually(async () => expect((await chats.mailbox.due(now() + 9_000, 1))[0]?.attempts).toBe(1));
  forward(5_000);
  await gateway.send(chat('anna'), 'two');
  await chats.says(['one', 'two']);
});

it('an answer whose progress message is gone is sent as a new one', async () => {
  const chats = await testChats();
  const gateway = await chats.start();
  const body = JSON.stringify({ markdown: 'the answer', replaces: 'deleted' });
  await chats.mailbox.enqueue([{ key: 'k-0', chat: chat('anna'), body }], 1);
  await gateway.revive(undefined);
  await chats.says(['the answer']);
});

it('many chats at once are each sent in order', async () => {
  const chats = await testChats();
  const gateway = await chats.start();
  const names = Array.from({ length: 100 }, (_, index) => `chat${index}`);
  for (const text of ['1', '2', '3']) await Promise.all(names.map((name) => gateway.send(chat(name), text)));
  for (const name of names) await chats.says(['1', '2', '3'], name);
});

it('a bot whose platform hangs takes no place from another', async () => {
  const chats = await testChats();
  const hanging = { ...chats.platform.open({ account: 'work' }), send: () => new Promise<never>(() => {}) };
  const gateway = await chats.start({ channels: [hanging, chats.platform.open()] });
  const names = Array.from({ length: 60 }, (_, index) => `chat${index}`);
  await Promise.all(names.map((chatId) => gateway.send({ ...chat(chatId), account: 'work' }, 'never')));
  await gateway.send(chat('anna'), 'still here');
  await chats.says(['still here']);
});

it('a chat whose message hangs does not hold up the retry of another chat', async () => {
  const chats = await testChats();
  const bot = chats.platform.open();
  let failures = 0;
  const send: typeof bot.send = (message, signal) => {
    if (message.chatId === 'hangs') return new Promise<never>(() => {});
    if (failures > 0) return bot.send(message, signal);
    failures += 1;
    return Promise.reject(new ChannelError('unreachable', 'the platform is away'));
  };
  const gateway = await chats.start({ channels: [{ ...bot, send }] });
  await gateway.send(chat('hangs'), 'never');
  await gateway.send(chat('anna'), 'one');
  await chats.says(['one']);
  expect(failures).toBe(1);
});

it('what waits for a channel that is not running stays as it is', async () => {
  const chats = await testChats();
  const absent = { channel: 'telegram', account: 'default', chatId: 'x' };
  await chats.mailbox.enqueue([{ key: 't-0', chat: absent, body: '{"markdown":"later"}' }], 1);
  const gateway = await chats.start();
  await gateway.send(chat('anna'), 'now');
  await chats.says(['now']);
  expect(await chats.mailbox.due(Date.now(), 9)).toMatchObject([{ key: 't-0', attempts: 0 }]);
});

it.each(['mayReceive', 'isStillOurs', 'audit'] as const)(
  'while %s cannot ask the storage, the message waits and no attempt is counted',
  async (part) => {
    const chats = await testChats();
    let isAway = true;
    const asked = Promise.withResolvers<void>();
    const gateway = await chats.start({
      async [part]() {
        if (!isAway) return true;
        asked.resolve();
        throw new StorageError('STORAGE_UNREACHABLE', 'the database is away');
      },
    });
    await gateway.send(chat('anna'), 'one');
    await asked.promise;
    await eventually(async () => expect(chats.logged.join()).toContain('the database is away'));
    expect(await chats.mailbox.due(Date.now(), 9)).toMatchObject([{ attempts: 0 }]);
    expect(await gateway.deadLetters()).toEqual([]);
    isAway = false;
    await chats.says(['one']);
  },
);

it('a gateway whose bots were taken over sends and records nothing, and leaves the message as it is', async () => {
  const chats = await testChats();
  let isOurs = false;
  let records = 0;
  let questions = 0;
  const asked = Promise.withResolvers<void>();
  const gateway = await chats.start({
    async audit() {
      records += 1;
    },
    async isStillOurs() {
      questions += 1;
      if (!isOurs) asked.resolve();
      return isOurs;
    },
  });
  await gateway.send(chat('anna'), 'one');
  await asked.promise;
  // Each look at the outbox would find the message again, if it did not wait.
  for (let look = 0; look < 50; look += 1) {
    gateway.wake();
    await setImmediate();
  }
  expect([questions, records]).toEqual([1, 0]);
  expect(await chats.said()).toEqual([]);
  expect(await chats.mailbox.due(Date.now() + 60_000, 9)).toMatchObject([{ attempts: 0 }]);
  isOurs = true;
  gateway.wake();
  await chats.says(['one']);
});

it('a gateway that was frozen while it recorded a message asks again before it sends', async () => {
  const chats = await testChats();
  const answers = [true, false, true];
  const said: string[][] = [];
  const gateway = await chats.start({
    async audit() {
      // As a process that is stopped does.
      if (answers.length === 2) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 600);
    },
    async isStillOurs() {
      said.push(await chats.said());
      return answers.shift() ?? true;
    },
  });
  await gateway.send(chat('anna'), 'one');
  await chats.says(['one']);
  expect(answers).toEqual([]);
  expect(said.flat()).toEqual([]);
});

it('a message that was being recorded when the gateway stopped is not sent, and the next gateway sends it once', async () => {
  const chats = await testChats();
  const recording = Promise.withResolvers<void>();
  const recorded = Promise.withResolvers<void>();
  let sends = 0;
  const platform = chats.platform.open();
  // As a library that knows no signals.
  const deaf = {
    ...platform,
    send: (message: Parameters<typeof platform.send>[0]) => {
      sends += 1;
      return platform.send(message, new AbortController().signal);
    },
  };
  const gateway = await chats.start({
    channels: [deaf],
    async audit() {
      recording.resolve();
      await recorded.promise;
    },
  });
  await gateway.send(chat('anna'), 'one');
  await recording.promise;
  const drained = gateway.drain(AbortSignal.abort());
  await setImmediate();
  recorded.resolve();
  await drained;
  expect(sends).toBe(0);
  await chats.start();
  await chats.says(['one']);
});

it('a gateway whose storage answers slowly can be stopped while it asks whether a message is still its own', async () => {
  const chats = await testChats();
  let questions = 0;
  const gateway = await chats.start({
    async isStillOurs() {
      questions += 1;
      await sleep(600);
      return true;
    },
  });
  await gateway.send(chat('anna'), 'one');
  await eventually(() => expect(questions).toBeGreaterThan(1));
  await gateway.drain(AbortSignal.abort());
  const before = questions;
  await sleep(700);
  expect(questions).toBe(before);
});
