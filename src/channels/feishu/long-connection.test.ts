import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createReceiver } from '../../../test/conformance/channel-subject.ts';
import type { FeishuServer } from '../../../test/fakes/feishu-server/feishu-server.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { ANNA, channelOn, connectedTo, DIRECT, never, startPlatform } from '../../../test/support/feishu-platform.ts';
import type { Channel } from '../channel.ts';

let server: FeishuServer;
const opened: Channel[] = [];

beforeEach(async () => {
  server = await startPlatform({ clientConfig: { PingInterval: 0.1 }, ackTimeoutMs: 300, fragmentBytes: 100 });
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((channel) => channel.close()));
  await server.close();
});

async function connect() {
  const connected = await connectedTo(server);
  opened.push(connected.channel);
  return connected;
}

const say = (text: string) => server.say({ chatId: DIRECT, senderId: ANNA, text });
const stateOf = (index: number) => server.push.events[index]?.state;

test('what arrives with the handshake is not missed', async () => {
  const quiet = await startPlatform();
  for (let index = 0; index < 20; index += 1) quiet.say({ chatId: DIRECT, senderId: ANNA, text: `early ${index}` });
  const { channel, receiver } = await connectedTo(quiet);
  opened.push(channel);
  await eventually(() => expect(receiver.received).toHaveLength(20));
  await eventually(() => expect(quiet.push.events.every(({ state }) => state === 'acknowledged')).toBe(true));
  expect(quiet.push.events.map(({ pushes }) => pushes)).toEqual(Array(20).fill(1));
  await quiet.close();
});

test('an event is acknowledged only after it was stored', async () => {
  const { receiver } = await connect();
  const release = receiver.hold();
  say('slow disk');
  await eventually(() => expect(receiver.deliveries.length).toBeGreaterThan(0));
  expect(server.push.events[0]?.answer).toBeUndefined();
  expect(stateOf(0)).toBe('pushed');
  release();
  await eventually(() => expect(stateOf(0)).toBe('acknowledged'));
});

test('what could not be stored is refused, and the status says why', async () => {
  const { channel, receiver } = await connect();
  receiver.refuse(1);
  say('disk full');
  await eventually(() => expect(server.push.events[0]?.answer?.code).toBe(500));
  expect(channel.status().lastError).toContain('the disk is full');
  // The platform delivers again by itself.
  await eventually(() => expect(stateOf(0)).toBe('acknowledged'));
  expect(receiver.received.map(({ text }) => text)).toEqual(['disk full']);
});

test('a connection that died silently is noticed, reported and opened again, and nothing is missed', async () => {
  const slow = await startPlatform({ clientConfig: { PingInterval: 1.5 }, ackTimeoutMs: 300 });
  const { channel, receiver } = await connectedTo(slow);
  opened.push(channel);
  slow.push.hang();
  slow.say({ chatId: DIRECT, senderId: ANNA, text: 'into the void' });
  await eventually(() => expect(channel.status().reconnects).toBeGreaterThan(0));
  expect(channel.status().lastError).toBe('the connection was lost');
  await eventually(() => expect(receiver.received.map(({ text }) => text)).toContain('into the void'));
  await eventually(() => expect(slow.push.connections).toBe(1));
  await slow.close();
});

test('a machine that slept makes its connection again', async () => {
  let offset = 0;
  const timings = { pauseMs: 20, maxPauseMs: 100, pongMs: 10_000, attemptMs: 10_000, awakeMs: 100 };
  const { channel } = await connectedTo(server, { now: () => Date.now() + offset, timings });
  opened.push(channel);
  offset = 3_600_000;
  await eventually(() => expect(channel.status().lastError).toBe('this machine slept'));
  await eventually(() => expect(channel.status()).toMatchObject({ state: 'connected' }));
  expect(channel.status().reconnects).toBeGreaterThan(0);
  await eventually(() => expect(server.push.connections).toBe(1));
});

test('many losses in a row leave one connection', async () => {
  const { channel, receiver } = await connect();
  for (let round = 1; round <= 5; round += 1) {
    server.push.disconnect();
    await eventually(() => expect(channel.status().reconnects).toBeGreaterThanOrEqual(round));
  }
  await eventually(() => expect(server.push.connections).toBe(1));
  say('still here');
  await eventually(() => expect(receiver.received.map(({ text }) => text)).toEqual(['still here']));
});

test('deliveries that are dropped, late, repeated or out of order all arrive, identified by id and order', async () => {
  const { receiver } = await connect();
  server.push.failNext('drop', { delayMs: 100 }, 'repeat', 'reorder', 'repeat');
  const ids = ['one', 'two', 'three', 'four', 'five', 'six'].map((text) => say(text).messageId);
  await eventually(() => expect(server.push.events.every(({ state }) => state === 'acknowledged')).toBe(true));
  const once = new Map(receiver.received.map((message) => [message.id, message]));
  expect(receiver.received.length).toBeGreaterThan(6);
  expect([...once.values()].toSorted((a, b) => a.order - b.order).map(({ id }) => id)).toEqual(ids);
});

test('a platform that is away at first is waited for, and the status says so', async () => {
  server.disconnect();
  const channel = channelOn(server);
  opened.push(channel);
  const connecting = channel.connect(createReceiver().receive, never);
  await eventually(() => expect(channel.status().lastError).toBeTypeOf('string'));
  expect(channel.status().state).toBe('connecting');
  server.restore();
  await connecting;
  expect(channel.status()).toMatchObject({ state: 'connected', reconnects: 0 });
});

test('waiting for a platform that is away ends with the signal', async () => {
  server.disconnect();
  const channel = channelOn(server);
  opened.push(channel);
  const stop = new AbortController();
  const connecting = channel.connect(createReceiver().receive, stop.signal);
  await eventually(() => expect(channel.status().lastError).toBeTypeOf('string'));
  stop.abort(new Error('enough'));
  await expect(connecting).rejects.toThrow('enough');
});

describe('credentials', () => {
  test('that only the long connection refuses are refused all the same', async () => {
    server.api.failNext({ kind: 'refused', code: 514, status: 200 }, ({ path }) => path === '/callback/ws/endpoint');
    const channel = channelOn(server);
    opened.push(channel);
    const error = await channel.connect(createReceiver().receive, never).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'auth', message: expect.stringContaining('check appId and appSecret') });
  });

  test.each([{ appId: 'cli_short' }, { appSecret: '' }])(
    'that cannot be any are refused before anything is asked: %j',
    async (wrong) => {
      const channel = channelOn(server, wrong);
      opened.push(channel);
      await expect(channel.connect(createReceiver().receive, never)).rejects.toMatchObject({ code: 'auth' });
      expect(server.api.calls).toEqual([]);
    },
  );

  test.each(['http://open.feishu.cn', 'ftp://x', 'fei shu', ''])('are sent to no unsafe domain: %j', (domain) => {
    expect(() => channelOn(server, { domain })).toThrow(/accepted: feishu, lark, or an https address/);
  });
});
