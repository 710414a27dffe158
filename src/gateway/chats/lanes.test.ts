import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { type ChatMessage, DEFAULT_LIMITS } from './chat.ts';
import { type Batch, createLanes, type LanesOptions } from './lanes.ts';

let ids = 0;
function message(
  chatId: string,
  order: number,
  more: { channel?: string; account?: string; senderId?: string } = {},
): ChatMessage {
  ids += 1;
  const { channel = 'local', account = 'default', senderId = chatId } = more;
  return {
    chat: { channel, account, chatId },
    isOwner: true,
    message: {
      id: `m${ids}`,
      chatId,
      chatKind: 'direct',
      isAddressed: true,
      sender: { id: senderId },
      order,
      sentAt: 0,
      text: `${order}`,
      files: [],
    },
  };
}

function lanesWith(handle: LanesOptions['handle'], more: Partial<LanesOptions['limits']> = {}) {
  const failures: unknown[] = [];
  const lanes = createLanes({
    limits: { ...DEFAULT_LIMITS, debounceMs: 0, debounceMaxMs: 0, ...more },
    handle,
    standsAlone: ({ message: { order } }) => order % 10 === 0,
    onFailure: (_batch, error) => failures.push(error),
  });
  return { lanes, failures };
}

it('whatever is written, each message is handled once, a chat has one batch at a time, batches are in order', async () => {
  const written = fc.array(
    fc.record({
      chatId: fc.constantFrom('a', 'b', 'c'),
      order: fc.nat(30),
      senderId: fc.constantFrom('x', 'y'),
      pause: fc.boolean(),
    }),
    { maxLength: 40 },
  );
  await fc.assert(
    fc.asyncProperty(written, fc.integer({ min: 1, max: 3 }), async (messages, concurrentTurns) => {
      const open = new Set<string>();
      const handled: ChatMessage[] = [];
      const { lanes } = lanesWith(
        async ({ chat, messages: batch }) => {
          expect(open.has(chat.chatId)).toBe(false);
          expect(open.size).toBeLessThan(concurrentTurns);
          open.add(chat.chatId);
          const orders = batch.map((each) => each.message.order);
          expect(orders).toEqual(orders.toSorted((x, y) => x - y));
          expect(new Set(batch.map((each) => each.message.sender.id)).size).toBe(1);
          if (orders.some((order) => order % 10 === 0)) expect(orders).toHaveLength(1);
          expect(orders.length).toBeLessThanOrEqual(4);
          await new Promise((resolve) => setImmediate(resolve));
          handled.push(...batch);
          open.delete(chat.chatId);
        },
        { concurrentTurns, joinedMessages: 4 },
      );
      lanes.open();
      const all: ChatMessage[] = [];
      for (const { chatId, order, senderId, pause } of messages) {
        const one = message(chatId, order, { senderId });
        all.push(one);
        lanes.add(one);
        if (pause) await new Promise((resolve) => setImmediate(resolve));
      }
      await eventually(() => expect(handled).toHaveLength(all.length));
      expect(new Set(handled)).toEqual(new Set(all));
      await lanes.stop();
    }),
    { numRuns: 40 },
  );
});

it('a batch that failed is handled again with what it had come to, and others meanwhile', async () => {
  const seen: string[] = [];
  let failed = 0;
  const { lanes, failures } = lanesWith(async (batch: Batch) => {
    seen.push(
      `${batch.chat.chatId} ${batch.messages.map((each) => each.message.text).join('+')} ${batch.turnId ?? ''}`,
    );
    if (batch.chat.chatId === 'a' && failed === 0) {
      failed += 1;
      batch.turnId = 'turn-1';
      throw new Error('the disk is full');
    }
  });
  lanes.open();
  lanes.add(message('a', 1));
  await eventually(() => expect(failures).toHaveLength(1));
  lanes.add(message('a', 2));
  lanes.add(message('b', 1));
  await eventually(() => expect(seen).toHaveLength(4));
  expect(seen).toEqual(['a 1 ', 'b 1 ', 'a 1 turn-1', 'a 2 ']);
});

it('a batch that waits to be tried again can be withdrawn and put back', async () => {
  const chat = { channel: 'local', account: 'default', chatId: 'a' };
  const handled: string[] = [];
  let isBroken = true;
  const { lanes, failures } = lanesWith(async ({ messages }) => {
    if (isBroken) throw new Error('the database is gone');
    handled.push(messages.map(({ message: { text } }) => text).join('+'));
  });
  lanes.open();
  lanes.add(message('a', 1, { senderId: 'anna' }));
  await eventually(() => expect(failures).not.toEqual([]));
  lanes.add(message('a', 2, { senderId: 'boris' }));
  expect(lanes.countIn(chat)).toBe(2);
  expect(lanes.withdraw(chat, ({ message: { sender } }) => sender.id === 'carla').messages).toEqual([]);
  const { messages, putBack } = lanes.withdraw(chat, () => true);
  expect(messages.map(({ message: { text } }) => text)).toEqual(['1', '2']);
  expect(lanes.countIn(chat)).toBe(0);
  isBroken = false;
  lanes.add(message('a', 3));
  await eventually(() => expect(handled).toEqual(['3']));
  putBack();
  await eventually(() => expect(handled).toEqual(['3', '1', '2']));
});

it('a bot with many chats leaves places to another', async () => {
  const seen: string[] = [];
  const gates: (() => void)[] = [];
  const { lanes } = lanesWith(
    async ({ chat }) => {
      seen.push(chat.account);
      await new Promise<void>((resolve) => gates.push(resolve));
    },
    { concurrentTurns: 2 },
  );
  lanes.open();
  for (let chat = 0; chat < 10; chat += 1) lanes.add(message(`chat${chat}`, 1));
  lanes.add(message('me', 1, { account: 'work' }));
  await eventually(() => expect(gates).toHaveLength(2));
  gates.shift()?.();
  await eventually(() => expect(seen).toHaveLength(3));
  expect(seen[2]).toBe('work');
});

it('nothing begins before it is opened, nor after it is stopped', async () => {
  const seen: number[] = [];
  const { lanes } = lanesWith(async ({ messages }) => void seen.push(messages.length));
  lanes.add(message('a', 2));
  lanes.add(message('a', 1));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(seen).toEqual([]);
  lanes.open();
  await eventually(() => expect(seen).toEqual([2]));
  await lanes.stop();
  lanes.add(message('a', 3));
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(seen).toEqual([2]);
  expect(lanes.waitingIn({ channel: 'local', account: 'default', chatId: 'a' })).toHaveLength(1);
});

it('a channel that is closed ends what runs and begins nothing; the others continue', async () => {
  const handled: string[] = [];
  const { promise: released, resolve: release } = Promise.withResolvers<void>();
  const { lanes } = lanesWith(async ({ chat }) => {
    handled.push(`${chat.channel} ${chat.chatId}`);
    if (chat.chatId === 'slow') await released;
  });
  lanes.open();
  lanes.add(message('slow', 1, { channel: 'telegram' }));
  await eventually(() => expect(handled).toEqual(['telegram slow']));
  let isClosed = false;
  const closing = lanes.closeChannel('telegram').then(() => {
    isClosed = true;
  });
  lanes.add(message('slow', 2, { channel: 'telegram' }));
  lanes.add(message('other', 3, { channel: 'telegram' }));
  lanes.add(message('mine', 4));
  await eventually(() => expect(handled).toContain('local mine'));
  expect(isClosed).toBe(false);
  release();
  await closing;
  lanes.add(message('mine', 5));
  await eventually(() => expect(handled).toHaveLength(3));
  expect(handled.filter((name) => name.startsWith('telegram'))).toEqual(['telegram slow']);
  await expect(lanes.closeChannel('feishu')).resolves.toBeUndefined();
});

describe('with 1,000 chats waiting', () => {
  /** One place; each turn ends when it is asked to. Returns the order in which chats begin. */
  function crowd(isOwner: boolean) {
    const begun: string[] = [];
    let endTurn = (): void => {};
    let onBegin = (): void => {};
    const { lanes } = lanesWith(
      async ({ chat }) => {
        begun.push(chat.chatId);
        onBegin();
        await new Promise<void>((resolve) => {
          endTurn = resolve;
        });
      },
      { concurrentTurns: 1 },
    );
    lanes.open();
    const add = (chatId: string, more: { senderId?: string; isOwner?: boolean } = {}): void =>
      lanes.add({ ...message(chatId, 1, more), isOwner: more.isOwner ?? isOwner });
    const next = async (): Promise<string> => {
      await new Promise<void>((resolve) => {
        onBegin = resolve;
        endTurn();
      });
      return begun.at(-1) ?? '';
    };
    return { add, next, begun };
  }

  it('a newcomer begins within four starts, and the owner within three', async () => {
    const { add, next } = crowd(false);
    for (let chat = 0; chat < 1_000; chat += 1) add(`chat${chat}`);
    for (let turn = 0; turn < 5; turn += 1) await next();
    add('newcomer');
    const starts = [await next(), await next(), await next(), await next()];
    expect(starts).toContain('newcomer');
    add('owner', { isOwner: true });
    expect([await next(), await next(), await next()]).toContain('owner');
  });

  it('a person with 1,000 chats has one turn for each turn of another person', async () => {
    const { add, next } = crowd(true);
    for (let chat = 0; chat < 1_000; chat += 1) add(`many${chat}`, { senderId: 'anna' });
    for (let chat = 0; chat < 4; chat += 1) add(`few${chat}`, { senderId: 'boris' });
    const starts: string[] = [];
    for (let turn = 0; turn < 10; turn += 1) starts.push(await next());
    expect(starts.filter((chat) => chat.startsWith('few'))).toHaveLength(4);
  });

  it('nobody starves, although newcomers and the owner arrive without end', async () => {
    const { add, next, begun } = crowd(false);
    for (let chat = 0; chat < 100; chat += 1) add(`chat${chat}`);
    for (let turn = 0; turn < 400; turn += 1) {
      add(`newcomer${turn}`);
      add(`owner${turn % 3}`, { isOwner: true, senderId: 'owner' });
      await next();
    }
    expect(begun.filter((chat) => chat.startsWith('chat'))).toHaveLength(100);
  });
});
