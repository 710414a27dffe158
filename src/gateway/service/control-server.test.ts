import { request } from 'node:http';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type ControlHandlers, type ControlServer, startControlServer } from './control-server.ts';

const TOKEN = 'the-token-of-this-start';
let server: ControlServer;
let defects: unknown[];
let sent: unknown[];
let woken: number;
let unready: string | undefined;

beforeEach(async () => {
  defects = [];
  sent = [];
  woken = 0;
  unready = undefined;
  const handlers: ControlHandlers = {
    status: async () => ({ pid: 7 }) as never,
    unready: async () => unready,
    send: async (target, text) => {
      sent.push([target, text]);
      if (target.chatId === 'breaks') throw new Error('a defect with details');
      return target.chatId === 'mine'
        ? { ok: true, account: 'default', keys: ['k'] }
        : { ok: false, message: 'not allowed' };
    },
    wake() {
      woken += 1;
    },
    retry: async (key) => (key === undefined ? 3 : 1),
    stopChannel: async (channel) => channel === 'telegram',
    webhook: (channel, account) =>
      channel === 'telegram' && account === 'default'
        ? async (incoming) => new Response(`${incoming.method} ${await incoming.text()}`)
        : undefined,
    onDefect: (error) => defects.push(error),
  };
  server = await startControlServer({ token: TOKEN, port: 0, handlers });
});
afterEach(() => server.close());

interface Call {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
}

/** Not fetch: it would not let a test choose Host and Origin. */
function call(
  path: string,
  { method = 'GET', headers = {}, body }: Call = {},
): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const sending = request({ host: '127.0.0.1', port: server.port, path, method, headers, agent: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part) => {
        text += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, text }));
    });
    sending.on('error', reject);
    sending.end(body);
  });
}
const owner = { authorization: `Bearer ${TOKEN}` };
const json = { ...owner, 'content-type': 'application/json' };
const post = (path: string, body: unknown) => call(path, { method: 'POST', headers: json, body: JSON.stringify(body) });

describe('who is admitted', () => {
  const ROUTES = [
    '/health',
    '/ready',
    '/status',
    '/metrics',
    '/send',
    '/wake',
    '/dead-letters/retry',
    '/',
    '/nothing',
    '/channels',
    '/channels/x',
  ];
  it.each(ROUTES)('%s needs the token', async (path) => {
    const wrong: Record<string, string>[] = [
      {},
      { authorization: 'Bearer wrong' },
      { authorization: TOKEN },
      { authorization: `Basic ${TOKEN}` },
    ];
    for (const headers of wrong)
      for (const method of ['GET', 'POST', 'PUT', 'OPTIONS'])
        expect((await call(path, { method, headers })).status, `${method} ${JSON.stringify(headers)}`).toBe(401);
    expect((await call(`${path}?token=${TOKEN}`)).status).toBe(401);
  });

  it.each([
    { host: 'evil.example' },
    { host: 'evil.example:80' },
    { host: '127.0.0.1' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: 'https://127.0.0.1' },
  ])('%j is refused, also with the token', async (headers) => {
    expect((await call('/status', { headers: { ...owner, ...headers } as never })).status).toBe(403);
  });

  it('after too many wrong tokens the right one is not compared either; without one nothing is counted', async () => {
    const wrong = { authorization: 'Bearer wrong' };
    for (let index = 0; index < 30; index += 1) expect((await call('/status')).status).toBe(401);
    for (let index = 0; index < 9; index += 1) expect((await call('/status', { headers: wrong })).status).toBe(401);
    expect((await call('/status', { headers: owner })).status).toBe(200);
    const statuses: number[] = [];
    for (let index = 0; index < 30; index += 1) statuses.push((await call('/status', { headers: wrong })).status);
    expect(statuses.at(-1)).toBe(429);
    const { status, text } = await call('/status', { headers: owner });
    expect([status, JSON.parse(text).error.code]).toEqual([429, 'TOO_MANY_ATTEMPTS']);
  });

  it('forwarding headers make no difference', async () => {
    const forwarded = {
      'x-forwarded-for': '127.0.0.1',
      'x-forwarded-host': `127.0.0.1:${server.port}`,
      forwarded: 'for=127.0.0.1',
    };
    expect((await call('/status', { headers: forwarded })).status).toBe(401);
    expect((await call('/status', { headers: { ...owner, ...forwarded, host: 'evil.example' } })).status).toBe(403);
  });

  it('our own page and name are admitted', async () => {
    const headers = { ...owner, host: `localhost:${server.port}`, origin: `http://localhost:${server.port}` };
    expect((await call('/status', { headers })).status).toBe(200);
  });
});

describe('what is taken', () => {
  it.each(['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', ''])(
    'a body of type "%s" is refused',
    async (type) => {
      const headers = { ...owner, ...(type && { 'content-type': type }) };
      expect((await call('/send', { method: 'POST', headers, body: '{}' })).status).toBe(415);
      expect(sent).toEqual([]);
    },
  );

  it('a body that is too large is refused, with and without its length', async () => {
    const body = JSON.stringify({ channel: 'local', chatId: 'mine', text: 'x'.repeat(600_000) });
    expect((await call('/send', { method: 'POST', headers: json, body })).status).toBe(413);
    expect(
      (await call('/send', { method: 'POST', headers: { ...json, 'transfer-encoding': 'chunked' }, body })).status,
    ).toBe(413);
    expect(sent).toEqual([]);
  });

  it.each([
    '',
    'nothing',
    '[]',
    'null',
    '{}',
    '{"channel":"local","chatId":"mine"}',
    '{"channel":1,"chatId":"a","text":"b"}',
  ])('the body %s gets an answer that says what is accepted', async (body) => {
    const { status, text } = await call('/send', { method: 'POST', headers: json, body });
    expect(status).toBe(400);
    expect(JSON.parse(text)).toMatchObject({ error: { code: 'BAD_BODY' } });
  });
});

describe('what is done', () => {
  it('health, readiness with its reason, status', async () => {
    expect(await call('/health', { headers: owner })).toEqual({ status: 200, text: '{"ok":true}' });
    expect((await call('/ready', { headers: owner })).status).toBe(200);
    unready = 'telegram/default is disconnected';
    const { status, text } = await call('/ready', { headers: owner });
    expect([status, JSON.parse(text)]).toEqual([503, { ready: false, reason: unready }]);
    expect(JSON.parse((await call('/status', { headers: owner })).text)).toEqual({ pid: 7 });
  });

  it('sends, refuses what is not allowed, and sends dead letters again', async () => {
    const done = await post('/send', { channel: 'local', chatId: 'mine', text: 'hello' });
    expect([done.status, JSON.parse(done.text)]).toEqual([200, { account: 'default', keys: ['k'] }]);
    expect((await post('/send', { channel: 'local', chatId: 'other', text: 'hello' })).status).toBe(403);
    expect(JSON.parse((await post('/dead-letters/retry', {})).text)).toEqual({ retried: 3 });
    expect(JSON.parse((await post('/dead-letters/retry', { key: 'k' })).text)).toEqual({ retried: 1 });
    expect([(await post('/wake', {})).status, woken]).toEqual([200, 1]);
  });

  it('a defect is kept from the caller', async () => {
    const { status, text } = await post('/send', { channel: 'local', chatId: 'breaks', text: 'hello' });
    expect(status).toBe(500);
    expect(text).not.toContain('details');
    expect(defects).toHaveLength(1);
  });
});

describe('webhooks', () => {
  it('reach their channel as they came, without our token and under any name', async () => {
    const headers = { host: 'bot.example.org', 'content-type': 'application/json' };
    const done = await call('/channels/telegram/default', { method: 'POST', headers, body: '{"update_id":1}' });
    expect(done).toEqual({ status: 200, text: 'POST {"update_id":1}' });
  });

  it('are bounded, and no other bot has one', async () => {
    const body = 'x'.repeat(3 * 1024 * 1024);
    expect((await call('/channels/telegram/default', { method: 'POST', body })).status).toBe(413);
    expect((await call('/channels/telegram/other', { method: 'POST', body: '{}' })).status).toBe(404);
    expect((await call('/channels/__proto__/constructor', { method: 'POST', body: '{}' })).status).toBe(404);
  });
});
