import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createReceiver } from '../../../test/conformance/channel-subject.ts';
import type { FeishuServer } from '../../../test/fakes/feishu-server/feishu-server.ts';
import {
  challengeRequest,
  type SignedRequest,
  seal,
  sign,
} from '../../../test/fakes/feishu-server/webhook-delivery.ts';
import { ANNA, channelOn, DIRECT, never, startPlatform } from '../../../test/support/feishu-platform.ts';
import type { Channel } from '../channel.ts';

let server: FeishuServer;
let channel: Channel;
let receiver: ReturnType<typeof createReceiver>;

beforeEach(async () => {
  server = await startPlatform({ isWebhookOnly: true });
  receiver = createReceiver();
  const { encryptKey, verificationToken } = server;
  channel = channelOn(server, { mode: 'webhook', encryptKey, verificationToken });
  await channel.connect(receiver.receive, never);
});
afterEach(async () => {
  await channel.close();
  await server.close();
});

async function post({ body, headers }: SignedRequest, method = 'POST'): Promise<{ status: number; body: unknown }> {
  const answer = await (channel.webhook as NonNullable<Channel['webhook']>)(
    new Request('http://here/feishu', { method, headers, ...(method === 'POST' ? { body } : {}) }),
  );
  return { status: answer.status, body: await answer.json() };
}

const eventOf = (text: string) => server.say({ chatId: DIRECT, senderId: ANNA, text }).eventId;

test('an event is answered after it was stored', async () => {
  expect(await post(server.webhookRequest(eventOf('hello')))).toEqual({ status: 200, body: {} });
  expect(receiver.received.map(({ text }) => text)).toEqual(['hello']);
  expect(channel.status().lastEventAt).toBeTypeOf('number');
});

test('an event that could not be stored is answered with a failure, so that it comes again', async () => {
  receiver.refuse(1);
  expect(await post(server.webhookRequest(eventOf('hello')))).toMatchObject({ status: 500 });
  expect(channel.status().lastError).toContain('the disk is full');
});

test('a press is answered with a toast', async () => {
  const buttons = [{ label: 'Yes', value: 'yes' }];
  const { messageId } = await channel.send({ key: 'k', chatId: DIRECT, markdown: 'May I?', buttons }, never);
  const { eventId } = server.press({ chatId: DIRECT, messageId, value: 'yes', senderId: ANNA });
  expect(await post(server.webhookRequest(eventId))).toMatchObject({
    status: 200,
    body: { toast: { type: 'success' } },
  });
});

test('an event of another kind is taken and forgotten', async () => {
  const payload = { schema: '2.0', header: { event_type: 'x', token: server.verificationToken }, event: {} };
  const request = sign(seal(payload, server.encryptKey), server.encryptKey, Date.now());
  expect(await post(request)).toEqual({ status: 200, body: {} });
});

describe('the proof of the address', () => {
  test('comes encrypted and unsigned, and gets its challenge back', async () => {
    expect(await post(challengeRequest('abc', server))).toEqual({ status: 200, body: { challenge: 'abc' } });
  });

  test('with the wrong token or key is refused', async () => {
    const wrongToken = challengeRequest('abc', { ...server, verificationToken: 'wrong' });
    const wrongKey = challengeRequest('abc', { ...server, encryptKey: 'wrong' });
    for (const request of [wrongToken, wrongKey]) expect((await post(request)).status).toBe(401);
  });

  test('in plain text is refused', async () => {
    const body = JSON.stringify({ challenge: 'abc', token: server.verificationToken, type: 'url_verification' });
    expect((await post({ body, headers: { 'content-type': 'application/json' } })).status).toBe(401);
  });
});

describe('a request is refused, and nothing is taken,', () => {
  const cases: [string, (request: SignedRequest) => SignedRequest, number][] = [
    ['with a wrong signature', withHeader('x-lark-signature', '0'.repeat(64)), 401],
    ['with a signature of another length', withHeader('x-lark-signature', 'short'), 401],
    ['without its signature', withoutHeader('x-lark-signature'), 401],
    ['with another time than was signed', withHeader('x-lark-request-timestamp', String(Date.now() / 1_000 + 9)), 401],
    ['with another nonce than was signed', withHeader('x-lark-request-nonce', 'other'), 401],
    ['with another body than was signed', (request) => ({ ...request, body: `${request.body} ` }), 401],
    ['that is not JSON by its type', withHeader('content-type', 'text/plain'), 415],
  ];
  test.each(cases)('%s', async (_, change, status) => {
    const answer = await post(change(server.webhookRequest(eventOf('forged'))));
    expect(answer.status).toBe(status);
    expect(JSON.stringify(answer.body)).not.toContain(server.encryptKey);
    expect(receiver.deliveries).toEqual([]);
  });

  test('when its body is not JSON: the signature is judged first', async () => {
    const broken = { body: '{{{', headers: server.webhookRequest(eventOf('x')).headers };
    expect((await post(broken)).status).toBe(401);
    expect((await post(sign('{{{', server.encryptKey, Date.now()))).status).toBe(400);
  });

  test.each([-6, 6])('when it was signed %d minutes from now', async (minutes) => {
    const request = server.webhookRequest(eventOf('replayed'), Date.now() + minutes * 60_000);
    expect((await post(request)).status).toBe(401);
    expect(receiver.deliveries).toEqual([]);
  });

  test('when it is larger than any event, whether it says so or not', async () => {
    const body = JSON.stringify({ encrypt: 'x'.repeat(2_000_000) });
    expect((await post(sign(body, server.encryptKey, Date.now()))).status).toBe(413);
    const stream = new ReadableStream({
      pull(controller) {
        controller.enqueue(new Uint8Array(65_536));
      },
    });
    const headers = { 'content-type': 'application/json' };
    const init: RequestInit & { duplex: 'half' } = { method: 'POST', body: stream, headers, duplex: 'half' };
    expect((await channel.webhook?.(new Request('http://here/', init)))?.status).toBe(413);
  });

  test('when it is for another app', async () => {
    const header = { event_type: 'im.message.receive_v1', token: server.verificationToken, app_id: 'cli_other' };
    const body = seal({ schema: '2.0', header, event: {} }, server.encryptKey);
    expect((await post(sign(body, server.encryptKey, Date.now()))).status).toBe(403);
  });

  test('when the token inside is wrong', async () => {
    const header = { event_type: 'im.message.receive_v1', token: 'wrong', app_id: server.appId };
    const body = seal({ schema: '2.0', header, event: {} }, server.encryptKey);
    expect((await post(sign(body, server.encryptKey, Date.now()))).status).toBe(401);
  });

  test('when it is not a POST, or nobody is connected', async () => {
    expect((await post({ body: '', headers: { 'content-type': 'application/json' } }, 'GET')).status).toBe(405);
    await channel.close();
    expect((await post(server.webhookRequest(eventOf('late')))).status).toBe(503);
  });
});

test('without an encrypt key webhook mode does not start, and says what to do', async () => {
  const open = channelOn(server, { mode: 'webhook' });
  const error = await open.connect(receiver.receive, never).catch((thrown: unknown) => thrown);
  expect(error).toMatchObject({ code: 'auth', message: expect.stringContaining('Encrypt Key') });
  await open.close();
});

test('over the long connection there is no webhook', async () => {
  const other = channelOn(server);
  expect(other.webhook).toBeUndefined();
  await other.close();
});

function withHeader(name: string, value: string): (request: SignedRequest) => SignedRequest {
  return (request) => ({ ...request, headers: { ...request.headers, [name]: value } });
}

function withoutHeader(name: string): (request: SignedRequest) => SignedRequest {
  return (request) => {
    const { [name]: _, ...headers } = request.headers;
    return { ...request, headers };
  };
}
