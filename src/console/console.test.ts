import { describe, expect, it } from 'vitest';
import { type Answer, TOKEN, testConsole } from '../../test/support/test-console.ts';
import type { ConsoleContext } from './context.ts';
import { routesOf } from './routes/all.ts';

const opened = await testConsole();
const { send, call, port, signIn } = opened;
const JSON_TYPE = { 'content-type': 'application/json' };
const { secret: key } = await (await opened.runtime.consoleAccess()).createKey('test');
const BEARER = { authorization: `Bearer ${TOKEN}` };

/** The OpenAI-compatible API has errors of its own shape. */
const codeIn = (answer: Answer): unknown =>
  answer.json().code ?? answer.json<{ error?: { code: string } }>().error?.code;

/** Only the table is looked at. */
const ROUTES = routesOf({ runtime: {} } as ConsoleContext, '');

const tried = ROUTES.map(({ method, path, admits, body }) => ({
  name: `${method} ${path}`,
  at: path.replace(/:\w+|\*/g, 'x'),
  admits,
  sent: { method, ...(method === 'POST' && { body: '{}' }) },
  type: body === 'json' ? JSON_TYPE : { 'content-type': 'application/octet-stream' },
}));

it.each(tried.filter(({ admits }) => admits !== 'anyone'))(
  '$name refuses without a token, and with a wrong one',
  async ({ at, sent, type }) => {
    const wrong: Record<string, string>[] = [
      {},
      { authorization: 'Bearer wrong' },
      { cookie: `lainclaw=${'x'.repeat(43)}` },
    ];
    for (const headers of wrong) {
      const answer = await send(at, { ...sent, headers: { ...type, ...headers } });
      expect([answer.status, codeIn(answer)]).toEqual([401, expect.stringMatching(/UNAUTHORISED|invalid_api_key/)]);
    }
  },
);

it.each(tried)('$name refuses a foreign Host and a foreign Origin, also with the token', async ({ at, sent, type }) => {
  const foreign: Record<string, string>[] = [
    { host: `evil.example:${port}` },
    { host: 'localhost' },
    { origin: 'http://evil.example' },
    { origin: `https://127.0.0.1:${port}` },
    { origin: 'null' },
    { 'sec-fetch-site': 'cross-site', 'sec-fetch-mode': 'cors' },
  ];
  for (const headers of foreign) {
    const answer = await send(at, { ...sent, headers: { ...BEARER, ...type, ...headers } });
    expect([answer.status, codeIn(answer)]).toEqual([403, expect.stringMatching(/^bad_(host|origin)$/i)]);
  }
});

it.each(tried.filter(({ sent }) => sent.method === 'POST'))(
  '$name refuses a body of another type',
  async ({ at, sent, admits }) => {
    const wrong: Record<string, string>[] = [
      {},
      { 'content-type': 'text/plain' },
      { 'content-type': 'application/x-www-form-urlencoded' },
      { 'content-type': 'multipart/form-data; boundary=x' },
    ];
    const right = admits === 'key' ? { authorization: `Bearer ${key}` } : BEARER;
    for (const headers of wrong)
      expect((await send(at, { ...sent, headers: { ...right, ...headers } })).status).toBe(415);
  },
);

describe('operations', () => {
  it('are listed with their schemas, and called with JSON', async () => {
    const listed = await call<{ name: string; input: object }[]>('/api/operations');
    expect(listed.find(({ name }) => name === 'sessions.list')).toMatchObject({ input: { type: 'object' } });
    expect(await call('/api/operations/sessions.list', {})).toMatchObject({ total: expect.any(Number) });
  });

  it.each<[string, string, number, string]>([
    ['/api/operations/no.such', '{}', 404, 'UNKNOWN_OPERATION'],
    ['/api/operations/sessions.list', '{"limit":"many"}', 400, 'INVALID_INPUT'],
    ['/api/operations/sessions.list', '{', 400, 'BAD_BODY'],
    ['/api/operations/sessions.list', '[]', 400, 'BAD_BODY'],
    ['/api/operations/sessions.show', '{"key":"nobody"}', 404, 'SESSION_NOT_FOUND'],
    ['/api/operations/sessions.list', `{"x":"${'x'.repeat(3_000_000)}"}`, 413, 'TOO_LARGE'],
  ])('%s refuses with a problem that says what to do', async (path, body, status, code) => {
    const cookie = await signIn();
    const answer = await send(path, { method: 'POST', headers: { cookie, ...JSON_TYPE }, body });
    expect(answer.headers['content-type']).toContain('application/problem+json');
    expect(answer.json()).toMatchObject({ status, code, detail: expect.any(String), title: expect.any(String) });
    expect(answer.status).toBe(status);
  });

  it('start a turn that the hub has', async () => {
    const { session, turn } = await call<{ session: string; turn: string }>('/api/turns', { text: 'hello' });
    for await (const _ of opened.runtime.hub.read(turn));
    const told = await call<{ events: { type: string }[] }>(`/api/turns/${turn}/events`);
    expect(told.events.map(({ type }) => type)).toEqual([
      'run-start',
      'model-start',
      'text-delta',
      'model-end',
      'run-end',
    ]);
    expect(await call('/api/operations/sessions.show', { key: session })).toMatchObject({
      messages: [{ role: 'user', content: 'hello' }, { role: 'assistant' }],
    });
  });
});

it('a page may make no trusted types but those of the console', async () => {
  const { headers } = await send('/');
  expect(headers['content-security-policy']).toContain(
    "require-trusted-types-for 'script'; trusted-types lainclaw dompurify",
  );
});
