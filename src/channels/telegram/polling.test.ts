import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createReceiver } from '../../../test/conformance/channel-subject.ts';
import { startTelegramServer, type TelegramServer } from '../../../test/fakes/telegram-server/telegram-server.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { Channel, IncomingMessage } from '../channel.ts';
import { createTelegramChannel } from './telegram-channel.ts';

const never = new AbortController().signal;

describe('long polling', () => {
  let server: TelegramServer;
  const opened: Channel[] = [];

  beforeEach(async () => {
    server = await startTelegramServer();
  });
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((channel) => channel.close()));
    await server.close();
    expect(server.violations).toEqual([]);
  });

  const open = (timing = { pollSeconds: 1, graceMs: 1_000 }): Channel => {
    const { url: apiRoot, token: botToken } = server;
    const channel = createTelegramChannel({
      account: 'default',
      botToken,
      apiRoot,
      mode: 'polling',
      now: Date.now,
      timing,
    });
    opened.push(channel);
    return channel;
  };
  const polls = (): number => server.calls.filter(({ method }) => method === 'getUpdates').length;

  test('confirms nothing before it is stored, and confirms it then', async () => {
    const receiver = createReceiver();
    const release = receiver.hold();
    await open().connect(receiver.receive, never);
    server.userSays({ chatId: 7, text: 'one' });
    server.userSays({ chatId: 8, text: 'other' });
    await eventually(() => expect(receiver.deliveries.length).toBeGreaterThanOrEqual(1));
    expect(server.waiting).toBe(2);
    release();
    await eventually(() => expect(server.waiting).toBe(0));
    expect(receiver.received.map(({ text }) => text).toSorted()).toEqual(['one', 'other']);
  });

  test('one chat that cannot be stored does not keep the other chats of the batch waiting, and is never skipped', async () => {
    const stored: string[] = [];
    let isFull = true;
    for (const text of ['a1', 'a2']) server.userSays({ chatId: 7, text });
    for (const text of ['b1', 'b2']) server.userSays({ chatId: 8, text });
    const channel = open();
    await channel.connect(async ({ chatId, text }) => {
      if (chatId === '7' && isFull) throw new Error('the disk is full');
      stored.push(text);
    }, never);
    await eventually(() => expect(stored).toEqual(['b1', 'b2']));
    await eventually(() => expect(channel.status().lastError).toMatch(/could not be stored.*disk is full/));
    expect(server.waiting).toBe(4);
    isFull = false;
    await eventually(() => expect(stored).toEqual(['b1', 'b2', 'a1', 'a2']));
    await eventually(() => expect(channel.status().lastError).toBeUndefined());
  });

  test('repeated and reordered updates keep their ids, and their order is known', async () => {
    const receiver = createReceiver();
    server.reorder(true);
    const release = server.holdBack(1);
    for (const text of ['one', 'two', 'three']) server.userSays({ chatId: 7, text });
    await open().connect(receiver.receive, never);
    await eventually(() => expect(receiver.received.map(({ text }) => text)).toEqual(['two', 'three']));
    release();
    await eventually(() => expect(receiver.received).toHaveLength(3));
    await eventually(() => expect(server.waiting).toBe(0));
    server.repeat(3);
    await eventually(() => expect(receiver.received).toHaveLength(6));
    const byId = Map.groupBy(receiver.received, ({ id }) => id);
    expect(byId.size).toBe(3);
    expect([...byId.values()].every((same) => new Set(same.map(({ order }) => order)).size === 1)).toBe(true);
    const inOrder = Array.from(byId.values(), ([first]) => first as IncomingMessage).toSorted(
      (a, b) => a.order - b.order,
    );
    expect(inOrder.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
  });

  test('ids that begin again at a lower number are not missed', async () => {
    const receiver = createReceiver();
    await open().connect(receiver.receive, never);
    server.userSays({ chatId: 7, text: 'high' });
    await eventually(() => expect(server.waiting).toBe(0));
    const before = polls();
    await eventually(() => expect(polls()).toBeGreaterThan(before + 1));
    server.renumber(1_000);
    server.userSays({ chatId: 7, text: 'low' });
    await eventually(() => expect(receiver.received.map(({ text }) => text)).toEqual(['high', 'low']));
  });

  test('a connection that says nothing any more is noticed and opened again', async () => {
    const receiver = createReceiver();
    const channel = open();
    await channel.connect(receiver.receive, never);
    server.freeze();
    await eventually(() => expect(channel.status()).toMatchObject({ state: 'disconnected' }));
    expect(channel.status().lastError).toMatch(/no answer within 2 s/);
    server.restore();
    server.userSays({ chatId: 7, text: 'after' });
    await eventually(() => expect(receiver.received).toHaveLength(1));
    expect(channel.status()).toMatchObject({ state: 'connected', reconnects: 1 });
  });

  test('starting while Telegram is away waits for it', async () => {
    server.cut();
    const channel = open();
    let isConnected = false;
    const connecting = channel
      .connect(async () => {}, never)
      .then(() => {
        isConnected = true;
      });
    await eventually(() => expect(channel.status().lastError).toMatch(/Telegram/));
    expect(channel.status().state).toBe('connecting');
    expect(isConnected).toBe(false);
    server.restore();
    await connecting;
    expect(channel.status()).toMatchObject({ state: 'connected', reconnects: 0 });
  });

  test('another poller and another’s webhook are explained, and it continues afterwards', async () => {
    const channel = open({ pollSeconds: 20, graceMs: 5_000 });
    const receiver = createReceiver();
    await channel.connect(receiver.receive, never);
    await eventually(() => expect(polls()).toBe(1));
    const other = (method: string, body: object): Promise<Response> =>
      fetch(`${server.url}/bot${server.token}/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
    await other('getUpdates', {});
    await eventually(() => expect(channel.status().lastError).toMatch(/two programs cannot use one bot token/));
    await eventually(() => expect(polls()).toBe(3));
    await other('setWebhook', { url: 'https://example.com/' });
    await eventually(() => expect(channel.status().lastError).toMatch(/has set a webhook/));
    expect(channel.status().state).toBe('disconnected');
    await other('deleteWebhook', {});
    server.userSays({ chatId: 7, text: 'back' });
    await eventually(() => expect(receiver.received).toHaveLength(1));
  });

  test('it waits as long as Telegram asks', async () => {
    server.fail('getUpdates', {
      kind: 'error',
      code: 429,
      description: 'Too Many Requests: retry after 2',
      retryAfter: 2,
    });
    const channel = open();
    const asked = performance.now();
    await channel.connect(async () => {}, never);
    await eventually(() => expect(polls()).toBe(2));
    expect(performance.now() - asked).toBeGreaterThanOrEqual(1_900);
  });

  test('what is stored when it is closed is confirmed', async () => {
    const channel = open({ pollSeconds: 30, graceMs: 5_000 });
    const { promise: stored, resolve: store } = Promise.withResolvers<void>();
    const receive = vi.fn(() => stored);
    await channel.connect(receive, never);
    server.userSays({ chatId: 7, text: 'last' });
    await eventually(() => expect(receive).toHaveBeenCalled());
    const closing = channel.close();
    store();
    await closing;
    expect(server.waiting).toBe(0);
  });

  test('a process killed between storing and confirming gets the message again', async () => {
    const script = new URL('../../../test/support/telegram-poller.ts', import.meta.url).pathname;
    server.userSays({ chatId: 7, text: 'precious' });
    const run = async (dies: string): Promise<{ lines: string[]; signal: NodeJS.Signals | null }> => {
      const child = spawn(process.execPath, [script, server.url, server.token, dies], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let printed = '';
      child.stdout.on('data', (chunk: Buffer) => {
        printed += chunk.toString();
      });
      const exited = once(child, 'exit');
      if (dies === '') {
        await eventually(() => expect(server.waiting).toBe(0));
        child.kill('SIGTERM');
      }
      const [, signal] = (await exited) as [number | null, NodeJS.Signals | null];
      return { lines: printed.split('\n').filter(Boolean), signal };
    };
    expect(await run('after-receive')).toEqual({ lines: ['7:101'], signal: 'SIGKILL' });
    expect(server.waiting).toBe(1);
    expect((await run('after-receive')).lines).toEqual(['7:101']);
    expect((await run('')).lines).toEqual(['7:101']);
    expect(server.waiting).toBe(0);
  });
});
