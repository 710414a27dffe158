import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type FeishuServer, startFeishuServer } from './feishu-server.ts';
import { decodeFrame, encodeFrame } from './frames.ts';

let server: FeishuServer;
let token: string;

beforeEach(async () => {
  server = await startFeishuServer({ limits: { perChatPerSecond: 5 } });
  server.addChat('oc_1', 'p2p', 'ou_anna');
  const { appId: app_id, appSecret: app_secret } = server;
  const answer = await call('POST', 'auth/v3/tenant_access_token/internal', { app_id, app_secret });
  token = String(answer.body.tenant_access_token);
});
afterEach(() => server.close());

async function call(method: string, path: string, body?: object, bearer = token) {
  const response = await fetch(`${server.url}/open-apis/${path}`, {
    method,
    headers: { authorization: `Bearer ${bearer}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
}

const markdown = (content: string) => ({ tag: 'markdown', content });
const card = (...elements: object[]) =>
  JSON.stringify({ schema: '2.0', config: { update_multi: true }, body: { elements } });
const button = (more: object = {}) => ({
  tag: 'button',
  text: { tag: 'plain_text', content: 'Yes' },
  behaviors: [{ type: 'callback', value: {} }],
  ...more,
});
const create = (more: object = {}, type = 'chat_id') =>
  call('POST', `im/v1/messages?receive_id_type=${type}`, {
    receive_id: 'oc_1',
    msg_type: 'interactive',
    content: card(markdown('x')),
    ...more,
  });

describe('a message', () => {
  const table = '| a |\n|---|\n| b |\n\n';
  test.each([
    [{ receive_id: 'oc_2' }, 230002],
    [{ msg_type: 'card' }, 230001],
    [{ content: {} }, 230001],
    [{ uuid: 'x'.repeat(51) }, 230001],
    [{ reply_in_thread: true }, 230001],
    [{ content: card(markdown('x'.repeat(40_000))) }, 230025],
    [{ content: '{' }, 230099],
    [{ content: JSON.stringify({ elements: [] }) }, 230099],
    [{ content: card() }, 230099],
    [{ content: card({ tag: 'unknown' }) }, 230099],
    [{ content: card(markdown(table.repeat(6))) }, 230099],
    [{ content: card(markdown('![x](https://example.com/x.png)')) }, 230099],
    [{ content: card(button({ type: 'loud' })) }, 230099],
    [{ content: card(button({ behaviors: [{ type: 'callback', value: 'text' }] })) }, 230099],
  ])('that the platform would refuse is refused: %j', async (more, code) => {
    expect(await create(more)).toMatchObject({ status: 400, body: { code } });
    expect(server.sent('oc_1')).toEqual([]);
    expect(server.violations).toHaveLength(1);
  });

  test('needs to say what kind of id its receiver is', async () => {
    expect(await create({}, 'thread_id')).toMatchObject({ body: { code: 99992402 } });
    expect(await create({ receive_id: 'ou_anna' }, 'open_id')).toMatchObject({ body: { code: 0 } });
  });

  test('with a key that was used within the hour is the message of then', async () => {
    const [first, second] = [await create({ uuid: 'k' }), await create({ uuid: 'k' })];
    expect(second.body).toEqual(first.body);
    expect(server.sent('oc_1')).toHaveLength(1);
  });

  test('needs a token that is good', async () => {
    const content = { receive_id: 'oc_1' };
    expect(await call('POST', 'im/v1/messages', content, 't-x')).toMatchObject({ body: { code: 99991663 } });
    server.api.invalidateTokens();
    expect(await create()).toMatchObject({ body: { code: 99991663 } });
  });

  test('of another can be neither changed nor, taken back, answered', async () => {
    const { messageId } = server.say({ chatId: 'oc_1', senderId: 'ou_anna', text: 'x' });
    const content = card(markdown('y'));
    expect(await call('PATCH', `im/v1/messages/${messageId}`, { content })).toMatchObject({ body: { code: 230001 } });
    const message = server.store.messages.get(messageId);
    if (message) message.isRecalled = true;
    const reply = { msg_type: 'interactive', content };
    expect(await call('POST', `im/v1/messages/${messageId}/reply`, reply)).toMatchObject({ body: { code: 230011 } });
  });

  test('too many in a second are refused', async () => {
    const codes = await Promise.all(Array.from({ length: 30 }, async () => (await create()).body.code));
    expect(codes.filter((code) => code === 0).length).toBeGreaterThanOrEqual(5);
    expect(codes).toContain(230020);
  });
});

test.each([
  [{ app_id: 'cli_x' }, 10003],
  [{ app_secret: 'x' }, 10014],
])('a token is given to nobody else: %j', async (wrong, code) => {
  const { appId: app_id, appSecret: app_secret } = server;
  const answer = await call('POST', 'auth/v3/tenant_access_token/internal', { app_id, app_secret, ...wrong });
  expect(answer).toMatchObject({ status: 400, body: { code } });
});

describe('frames', () => {
  test('are read as they were written', () => {
    const number = fc.nat();
    const frame = fc.record({
      seqId: number,
      logId: fc.maxSafeNat(),
      service: number,
      method: fc.constantFrom(0, 1),
      headers: fc.dictionary(fc.string(), fc.string()),
      payload: fc.uint8Array().map((bytes) => Buffer.from(bytes)),
    });
    fc.assert(
      fc.property(frame, (written) => {
        const read = decodeFrame(encodeFrame(written));
        expect({ ...read, headers: Object.entries(read.headers) }).toEqual({
          ...written,
          headers: Object.entries(written.headers),
        });
      }),
    );
  });

  test('that are cut or lack a field are refused', () => {
    const headers = { type: 'ping' };
    const whole = encodeFrame({ seqId: 1, logId: 2, service: 3, method: 0, headers, payload: Buffer.from('x') });
    for (let length = 0; length < whole.byteLength; length += 1) {
      const cut = whole.subarray(0, length);
      // Only between whole fields, after the four that must be there, is a cut not seen.
      try {
        expect(decodeFrame(cut).seqId).toBe(1);
      } catch (error) {
        expect((error as Error).message).toMatch(/^a (frame|header) (ends|lacks)/);
      }
    }
  });
});
