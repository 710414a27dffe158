import { describe, expect, it } from 'vitest';
import { memoryOwnerFiles } from '../../test/support/memory-owner-files.ts';
import { createSecretAttempts, WRONG_SECRETS } from '../lib/secret-attempts.ts';
import { createMemoryLimits } from '../storage/memory-limits.ts';
import { createBearerCheck, ensureToken } from './bearer.ts';
import { createMcpHttpHandler, type McpHttpHandler, type McpHttpHandlerOptions } from './http-handler.ts';
import { createMcpServers, type Offer } from './serve.ts';

const URL_HERE = 'http://127.0.0.1/mcp';
const HEADERS = {
  host: '127.0.0.1',
  'content-type': 'application/json',
  accept: 'application/json, text/event-stream',
  'mcp-protocol-version': '2025-11-25',
};

async function handlerFor(
  call: Offer['call'],
  admits: McpHttpHandlerOptions['admits'] = async () => ({ outcome: 'right' }),
): Promise<McpHttpHandler> {
  let sessions = 0;
  const schema = { type: 'object', properties: {} } as const;
  const tools = async () => [{ name: 'one', description: 'one', inputSchema: schema, onlyReads: true }];
  return createMcpHttpHandler({
    create: await createMcpServers({ version: '1', tools, call }),
    admits,
    newSessionId: () => `session-${++sessions}`,
    onError: () => {},
  });
}

const send = (handler: McpHttpHandler, message: object, headers: Record<string, string> = {}): Promise<Response> =>
  handler.handle(
    new Request(URL_HERE, {
      method: 'POST',
      headers: { ...HEADERS, ...headers },
      body: JSON.stringify({ jsonrpc: '2.0', ...message }),
    }),
  );

async function open(handler: McpHttpHandler): Promise<Record<string, string>> {
  const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: { name: 'x', version: '1' } };
  const response = await send(handler, { id: 0, method: 'initialize', params });
  await response.text();
  const session = { 'mcp-session-id': response.headers.get('mcp-session-id') ?? '' };
  await send(handler, { method: 'notifications/initialized' }, session);
  return session;
}

const callOne = { id: 1, method: 'tools/call', params: { name: 'one', arguments: {} } };

describe('the protocol over HTTP', () => {
  it('hands out what a client missed when its stream broke', async () => {
    const { promise: running, resolve: finish } = Promise.withResolvers<void>();
    const handler = await handlerFor(async () => {
      await running;
      return { content: [{ type: 'text', text: 'late' }] };
    });
    const session = await open(handler);
    const response = await send(handler, callOne, session);
    const reader = response.body?.getReader();
    const first = new TextDecoder().decode((await reader?.read())?.value);
    const [, lastEvent = ''] = /^id: (\S+)$/m.exec(first) ?? [];
    expect(first).toMatch(/^retry: 1000$/m);
    await reader?.cancel();
    finish();
    const resumed = await handler.handle(
      new Request(URL_HERE, {
        headers: { ...HEADERS, accept: 'text/event-stream', ...session, 'last-event-id': lastEvent },
      }),
    );
    expect(resumed.status).toBe(200);
    const again = resumed.body?.getReader();
    let said = '';
    while (!said.includes('late')) said += new TextDecoder().decode((await again?.read())?.value);
    expect(said).toContain('"id":1');
    await handler.close();
  });

  it('cancels a call when asked to, and every call when it closes', async () => {
    const signals: AbortSignal[] = [];
    const handler = await handlerFor(
      (_, __, { signal }) =>
        new Promise((_, reject) => {
          signals.push(signal);
          signal.addEventListener('abort', () => reject(signal.reason));
        }),
    );
    const session = await open(handler);
    await send(handler, callOne, session);
    await send(handler, { method: 'notifications/cancelled', params: { requestId: 1 } }, session);
    expect(signals.map(({ aborted }) => aborted)).toEqual([true]);
    await send(handler, { ...callOne, id: 2 }, session);
    await handler.close();
    expect(signals.map(({ aborted }) => aborted)).toEqual([true, true]);
  });

  it('keeps the sessions used last, and says so to a client whose session is gone', async () => {
    const handler = await handlerFor(async () => ({ content: [] }));
    const first = await open(handler);
    const second = await open(handler);
    for (let count = 0; count < 62; count += 1) await open(handler);
    expect((await send(handler, callOne, first)).status).toBe(200);
    await open(handler);
    expect((await send(handler, callOne, first)).status).toBe(200);
    expect((await send(handler, callOne, second)).status).toBe(404);
    const ended = await handler.handle(new Request(URL_HERE, { method: 'DELETE', headers: { ...HEADERS, ...first } }));
    expect(ended.status).toBe(200);
    expect((await send(handler, callOne, first)).status).toBe(404);
    await handler.close();
  });

  it('checks names first, then who is asking, then the body', async () => {
    let asked = 0;
    const handler = await handlerFor(
      async () => ({ content: [] }),
      async () => {
        asked += 1;
        return { outcome: 'wrong' };
      },
    );
    expect((await send(handler, callOne, { host: 'evil.example' })).status).toBe(403);
    expect((await send(handler, callOne, { origin: 'http://evil.example' })).status).toBe(403);
    expect(asked).toBe(0);
    const refused = await send(handler, callOne, { 'content-type': 'text/plain' });
    expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([401, 'Bearer']);
    await handler.close();
  });
});

describe('the token', () => {
  const attempts = () => createSecretAttempts(createMemoryLimits(() => 0).counter('token', WRONG_SECRETS));
  const carrying = (authorization: string) => new Request(URL_HERE, { headers: { authorization } });

  it('is made once, long and random', async () => {
    const [one, two] = [memoryOwnerFiles(), memoryOwnerFiles()];
    await ensureToken(one);
    const token = one.texts.get('mcp-token');
    await ensureToken(one);
    await ensureToken(two);
    expect(one.texts.get('mcp-token')).toBe(token);
    expect(token).toMatch(/^[\w-]{43}\n$/);
    expect(two.texts.get('mcp-token')).not.toBe(token);
    await expect(ensureToken(memoryOwnerFiles({ 'mcp-token': 'short' }))).rejects.toThrow('delete it');
    await expect(ensureToken(memoryOwnerFiles({ 'mcp-token': '' }))).rejects.toThrow('delete it');
  });

  it('admits every request that carries it, and none while there is no token', async () => {
    const token = 'a'.repeat(43);
    const files = memoryOwnerFiles({ 'mcp-token': `${token}\n` });
    const admits = async (request: Request) => (await createBearerCheck(files, attempts())(request)).outcome;
    expect(await admits(carrying(`Bearer ${token}`))).toBe('right');
    for (const other of [
      '',
      'Bearer ',
      'Bearer x',
      `Bearer ${token}a`,
      `Basic ${token}`,
      token,
      `Bearer ${token} ${token}`,
    ])
      expect(await admits(carrying(other))).toBe('wrong');
    files.texts.delete('mcp-token');
    expect(await admits(carrying(`Bearer ${token}`))).toBe('wrong');
    files.texts.set('mcp-token', '');
    expect(await admits(carrying('Bearer '))).toBe('wrong');
  });

  it('is not compared any more after too many wrong ones, and the answer says for how long', async () => {
    const token = 'a'.repeat(43);
    const admits = createBearerCheck(memoryOwnerFiles({ 'mcp-token': token }), attempts());
    const handler = await handlerFor(async () => ({ content: [] }), admits);
    const statusWith = async (given: string) => send(handler, callOne, { authorization: `Bearer ${given}` });
    for (let index = 0; index < WRONG_SECRETS.most; index += 1) expect((await statusWith('wrong')).status).toBe(401);
    const limited = await statusWith(token);
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '3']);
  });
});
