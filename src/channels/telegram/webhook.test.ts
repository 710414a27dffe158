import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createReceiver } from '../../../test/conformance/channel-subject.ts';
import { startTelegramServer, type TelegramServer } from '../../../test/fakes/telegram-server/telegram-server.ts';
import { openFront } from '../../../test/fakes/telegram-server/webhook-front.ts';
import { eventually } from '../../../test/support/eventually.ts';
import type { Channel, IncomingMessage } from '../channel.ts';
import { createTelegramChannel } from './telegram-channel.ts';

const SECRET = 'webhook-secret_1';
const never = new AbortController().signal;

describe('a webhook', () => {
  let server: TelegramServer;
  let front: Awaited<ReturnType<typeof openFront>>;
  let channel: Channel;

  beforeEach(async () => {
    server = await startTelegramServer();
    front = await openFront();
    channel = open();
    front.channel = channel;
  });
  afterEach(async () => {
    await channel.close();
    await server.close();
    await front.close();
  });

  const open = (more: { webhookSecret?: string } = {}): Channel =>
    createTelegramChannel({
      account: 'default',
      botToken: server.token,
      apiRoot: server.url,
      mode: 'webhook',
      webhookUrl: front.url,
      webhookSecret: SECRET,
      now: Date.now,
      timing: { webhookCheckMs: 100 },
      ...more,
    });
  const request = (
    body: string | ReadableStream | null,
    headers: Record<string, string> = {},
    method = 'POST',
  ): Request =>
    new Request('http://127.0.0.1/telegram', {
      method,
      headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': SECRET, ...headers },
      ...(body === null ? {} : { body, duplex: 'half' }),
    } as RequestInit);
  const update = {
    update_id: 5,
    message: {
      message_id: 1,
      date: 1,
      chat: { id: 7, type: 'private', first_name: 'A' },
      from: { id: 7, is_bot: false, first_name: 'A' },
      text: 'hi',
    },
  };

  test('is posted to until the message is stored', async () => {
    const receiver = createReceiver();
    receiver.refuse(2);
    await channel.connect(receiver.receive, never);
    server.userSays({ chatId: 7, text: 'keep me' });
    await eventually(() => expect(receiver.received.map(({ text }) => text)).toEqual(['keep me']));
    await eventually(() => expect(server.waiting).toBe(0));
    expect(receiver.deliveries).toHaveLength(3);
    await channel.send({ key: 'k', chatId: '7', markdown: 'answer' }, never);
    expect(server.messages(7)).toHaveLength(1);
    expect(server.violations).toEqual([]);
  });

  test('answers 200 only after the message is stored', async () => {
    const { promise: stored, resolve: store } = Promise.withResolvers<void>();
    const receive = vi.fn((_: IncomingMessage) => stored);
    await channel.connect(receive, never);
    let status: number | undefined;
    const answering = channel.webhook?.(request(JSON.stringify(update))).then((answer) => {
      status = answer.status;
    });
    await eventually(() => expect(receive).toHaveBeenCalled());
    expect(status).toBeUndefined();
    store();
    await answering;
    expect(status).toBe(200);
  });

  test('takes nothing without the secret, and does not even read it', async () => {
    const receiver = createReceiver();
    await channel.connect(receiver.receive, never);
    const pulled = vi.fn();
    const body = new ReadableStream({ pull: pulled }, { highWaterMark: 0 });
    expect((await channel.webhook?.(request(body, { 'x-telegram-bot-api-secret-token': '' })))?.status).toBe(401);
    for (const secret of ['wrong', `${SECRET}x`, SECRET.slice(1)]) {
      const answer = await channel.webhook?.(request('{}', { 'x-telegram-bot-api-secret-token': secret }));
      expect(answer?.status).toBe(401);
    }
    expect(pulled).not.toHaveBeenCalled();
    expect(receiver.deliveries).toEqual([]);
  });

  test('refuses what is not an update', async () => {
    await channel.connect(async () => {}, never);
    const status = async (each: Request): Promise<number | undefined> => (await channel.webhook?.(each))?.status;
    expect(await status(request('not json'))).toBe(400);
    expect(await status(request('[]'))).toBe(400);
    expect(await status(request('{"update_id":"5"}'))).toBe(400);
    expect(await status(request('{}', { 'content-type': 'text/plain' }))).toBe(415);
    expect(await status(request(null, {}, 'GET'))).toBe(405);
    expect(await status(request(' '.repeat(1_100_000)))).toBe(413);
    const endless = new ReadableStream({ pull: (controller) => controller.enqueue(Buffer.alloc(100_000, ' ')) });
    expect(await status(request(endless))).toBe(413);
    // Unknown kinds of updates come with time: taken, and nothing done.
    expect(await status(request('{"update_id":5,"something_new":{}}'))).toBe(200);
  });

  test('that another program has changed is set again, and one that Telegram cannot reach is reported', async () => {
    const states: string[] = [];
    await channel.connect(async () => {
      throw new Error('the disk is full');
    }, never);
    const post = (body: object): Promise<Response> =>
      fetch(`${server.url}/bot${server.token}/setWebhook`, { method: 'POST', body: JSON.stringify(body) });
    await post({ url: 'https://example.com/other' });
    const isOurs = (): boolean =>
      server.calls.findLast(({ method }) => method === 'setWebhook')?.payload.url === front.url;
    await eventually(() => expect(isOurs()).toBe(true));
    server.userSays({ chatId: 7, text: 'x' });
    await eventually(() => {
      states.push(channel.status().lastError ?? '');
      expect(states.some((told) => /cannot deliver to the webhook.*500/.test(told))).toBe(true);
    });
  });

  test('is not opened without a secret, and is closed with the channel', async () => {
    await expect(open({ webhookSecret: '' }).connect(async () => {}, never)).rejects.toMatchObject({ code: 'auth' });
    expect((await channel.webhook?.(request(JSON.stringify(update))))?.status).toBe(503);
    await channel.connect(async () => {}, never);
    await channel.close();
    expect((await channel.webhook?.(request(JSON.stringify(update))))?.status).toBe(503);
  });
});
