import { expect, it } from 'vitest';
import { testChats } from '../../../test/support/chats.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { createPruning } from './pruning.ts';

const DAY = 24 * 60 * 60_000;
const limits = { rememberMs: 14 * DAY, keepDeadLettersMs: 30 * DAY };

it('a gateway that starts forgets dead letters of more than 30 days, and keeps the others for `retry`', async () => {
  const chats = await testChats();
  const chat = { channel: 'local', account: 'default', chatId: 'anna' };
  const keys = Array.from({ length: 450 }, (_, index) => `old-${index}`);
  await chats.mailbox.enqueue(
    [...keys, 'young'].map((key) => ({ key, chat, body: '{"markdown":"hello"}' })),
    0,
  );
  for (const key of keys) await chats.mailbox.die(key, 'gone', Date.now() - 31 * DAY);
  await chats.mailbox.die('young', 'gone', Date.now() - 29 * DAY);
  const gateway = await chats.start();
  await eventually(async () => expect((await gateway.status()).mailbox.dead).toBe(1));
  expect(await gateway.revive(undefined)).toBe(1);
  await chats.says(['hello']);
});

it('waits for a quiet moment, and ends when it is stopped', async () => {
  const pruned: number[] = [];
  const state = { isIdle: false };
  const pruning = createPruning({
    mailbox: { prune: async (_, limit) => pruned.push(limit) && 0 },
    limits,
    isIdle: () => state.isIdle,
    now: () => 0,
    log: () => {},
  });
  const round = pruning.begin();
  await new Promise((resolve) => setImmediate(resolve));
  expect(pruned).toEqual([]);
  state.isIdle = true;
  await round;
  expect(pruned).toHaveLength(1);
  state.isIdle = false;
  const another = pruning.begin();
  await pruning.stop();
  await another;
  expect(pruned).toHaveLength(1);
});

it('a mailbox that cannot be pruned is reported, and does not stop the gateway', async () => {
  const logged: string[] = [];
  const prune = async (): Promise<number> => {
    throw new Error('the disk is full');
  };
  const pruning = createPruning({
    mailbox: { prune },
    limits,
    isIdle: () => true,
    now: () => 0,
    log: (text) => logged.push(text),
  });
  await pruning.begin();
  await pruning.stop();
  expect(logged).toEqual(['the mailbox could not be pruned: the disk is full']);
});
