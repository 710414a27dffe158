import { connect } from 'node:net';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type ModelServer, type ModelServerOptions, startModelServer } from './model-server.ts';
import type { NeutralRequest } from './neutral-request.ts';

let server: ModelServer;
afterEach(() => server.close());

async function start(options: ModelServerOptions): Promise<void> {
  server = await startModelServer(options);
}

const json = { 'content-type': 'application/json' };
const bearer = { ...json, authorization: 'Bearer good' };
const anthropic = { ...json, 'x-api-key': 'good', 'anthropic-version': '2023-06-01' };
const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const message = { ...chat, max_tokens: 10 };
const codex = {
  model: 'm',
  instructions: 'Be brief.',
  store: false,
  stream: true,
  input: [{ role: 'user', content: 'Hi' }],
};

function post(path: string, headers: Record<string, string>, body: unknown): Promise<Response> {
  const isBytes = body instanceof Uint8Array || typeof body === 'string';
  return fetch(server.url + path, { method: 'POST', headers, body: isBytes ? (body as string) : JSON.stringify(body) });
}

describe('paths', () => {
  test.each([
    ['/v1/chat/completions', 'chat'],
    ['/openai/deployments/x/chat/completions', 'chat'],
    ['/v1/responses', 'responses'],
    ['/codex/responses', 'codex'],
    ['/backend-api/codex/responses', 'codex'],
    ['/api/anthropic/v1/messages?beta=true', 'messages'],
  ])('%s is asked in the %s dialect', async (path, dialect) => {
    await start({ script: [{ text: 'Hi' }] });
    const headers = { ...anthropic, ...bearer, 'chatgpt-account-id': 'a' };
    const body = { chat, responses: { model: 'm', input: 'Hi' }, codex, messages: message }[dialect];
    expect((await post(path, headers, body)).status).toBe(200);
    expect(server.requests[0]?.dialect).toBe(dialect);
  });

  test('a path that no service has is a violation', async () => {
    await start({ script: [] });
    expect((await post('/v1/completions', bearer, chat)).status).toBe(404);
    expect(server.violations).toEqual(['POST /v1/completions: Invalid URL (POST /v1/completions)']);
  });

  test('Ollama tells its version and models without a token', async () => {
    await start({ script: [], anonymous: true, models: ['llama3:8b'] });
    const get = async (path: string): Promise<unknown> => (await fetch(server.url + path)).json();
    expect(await get('/api/version')).toEqual({ version: expect.any(String) });
    expect(await get('/api/tags')).toMatchObject({ models: [{ name: 'llama3:8b' }] });
    expect(await get('/v1/models')).toMatchObject({ object: 'list', data: [{ id: 'llama3:8b' }] });
  });
});

describe('signing in', () => {
  test.each([
    ['/v1/chat/completions', json, { error: { type: 'invalid_request_error' } }],
    ['/v1/responses', json, { error: { type: 'invalid_request_error' } }],
    ['/codex/responses', json, { detail: expect.stringContaining('authentication token') }],
    ['/v1/messages', json, { type: 'error', error: { type: 'authentication_error' } }],
    ['/v1/chat/completions', { ...json, authorization: 'Bearer bad' }, { error: { code: 'invalid_api_key' } }],
    ['/v1/chat/completions', { ...json, 'x-api-key': 'good' }, { error: { type: 'invalid_request_error' } }],
    ['/codex/responses', { ...json, authorization: 'Bearer bad' }, { error: { code: 'token_invalidated' } }],
    ['/v1/messages', { ...json, 'x-api-key': 'bad' }, { error: { type: 'authentication_error' } }],
  ])('%s refuses %o in its own words', async (path, headers, body) => {
    await start({ script: [], accept: (token) => token === 'good' });
    const response = await post(path, headers, {});
    expect(response.status).toBe(401);
    expect(await response.json()).toMatchObject(body);
    expect(server.violations).toEqual([]);
  });

  test('Anthropic takes a key or a bearer token', async () => {
    await start({ script: () => ({ text: 'Hi' }), accept: (token) => token === 'good' });
    expect((await post('/v1/messages', anthropic, message)).status).toBe(200);
    expect((await post('/v1/messages', { ...bearer, 'anthropic-version': '2026-10-21' }, message)).status).toBe(200);
  });

  test('an anonymous server asks for no token and ignores fields it does not know', async () => {
    await start({ script: [{ text: 'Hi' }], anonymous: true });
    expect((await post('/v1/chat/completions', json, { ...chat, keep_alive: '5m' })).status).toBe(200);
  });
});

describe('bodies', () => {
  const text = JSON.stringify(codex);
  test.each([
    ['identity', Buffer.from(text)],
    ['gzip', gzipSync(text)],
    ['zstd', zstdCompressSync(text)],
  ])('a body sent as %s is understood', async (encoding, bytes) => {
    await start({ script: [{ text: 'Hi' }] });
    const headers = { ...bearer, 'chatgpt-account-id': 'a', 'content-encoding': encoding };
    expect((await post('/codex/responses', headers, bytes)).status).toBe(200);
    expect(server.requests[0]?.body).toEqual(codex);
  });

  test('a body that is not encoded as it says is refused', async () => {
    await start({ script: [] });
    const response = await post('/codex/responses', { ...bearer, 'content-encoding': 'gzip' }, 'plain');
    expect(response.status).toBe(400);
    expect(server.requests[0]).toMatchObject({ body: undefined, violations: [expect.stringContaining('JSON body')] });
  });

  test('a client that leaves while it is still sending is not a violation', async () => {
    await start({ script: [] });
    const { port } = new URL(server.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end('POST /v1/responses HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\n{');
    await eventually(() => expect(server.requests).toHaveLength(1));
    socket.destroy();
    expect(await server.requests[0]?.ended).toBe('client-closed');
    expect(server.violations).toEqual([]);
  });
});

describe('scripts', () => {
  test('a list is used in order, and running out of it is a violation', async () => {
    await start({ script: [{ text: 'one' }, { text: 'two' }] });
    const answers: unknown[] = [];
    for (let count = 0; count < 3; count += 1) {
      answers.push(await (await post('/v1/chat/completions', bearer, chat)).json());
    }
    expect(answers).toMatchObject([
      { choices: [{ message: { content: 'one' } }] },
      { choices: [{ message: { content: 'two' } }] },
      { error: { message: 'fake model server: the script has 2 replies and this is request 3' } },
    ]);
    expect(server.violations).toEqual(['POST /v1/chat/completions: the script has 2 replies and this is request 3']);
  });

  test('a refused request uses up no reply', async () => {
    await start({ script: [{ text: 'one' }] });
    expect((await post('/v1/chat/completions', bearer, { model: 'm', messages: [] })).status).toBe(400);
    expect((await post('/v1/chat/completions', bearer, chat)).status).toBe(200);
  });

  test('a function sees the request and its number, and may wait', async () => {
    const seen: [string, number][] = [];
    await start({
      script: async ({ messages }, index) => {
        await new Promise((resolve) => setTimeout(resolve, 1));
        const last = messages.at(-1);
        seen.push([last?.text ?? '', index]);
        return { text: 'Hi' };
      },
    });
    await post('/v1/chat/completions', bearer, chat);
    await post('/v1/responses', bearer, { model: 'm', input: 'Again' });
    expect(seen).toEqual([
      ['Hi', 0],
      ['Again', 1],
    ]);
  });

  test('a function that throws is a violation, and the client gets a 500', async () => {
    await start({
      script: () => {
        throw new Error('not what I expected');
      },
    });
    expect((await post('/v1/messages', anthropic, message)).status).toBe(500);
    expect(server.violations).toEqual(['POST /v1/messages: not what I expected']);
  });

  test('a new script starts at its first reply', async () => {
    await start({ script: [{ text: 'old' }, { text: 'old' }] });
    await post('/v1/chat/completions', bearer, chat);
    server.setScript([{ text: 'new' }]);
    expect(await (await post('/v1/chat/completions', bearer, chat)).json()).toMatchObject({
      choices: [{ message: { content: 'new' } }],
    });
  });

  test('nothing is kept of the requests when that is asked for', async () => {
    await start({ script: [{ text: 'Hi' }], record: false });
    await post('/v1/chat/completions', bearer, chat);
    expect(server.requests).toEqual([]);
  });
});

describe('the neutral request', () => {
  const parameters = { type: 'object', properties: { city: { type: 'string' } } };
  const call = { name: 'weather', arguments: '{"city":"Oslo"}' };
  const expected = {
    model: 'm',
    stream: false,
    system: ['Be brief.'],
    messages: [
      { role: 'user', text: 'Weather?' },
      { role: 'assistant', text: 'Looking.', toolCalls: [{ id: 'c1', name: 'weather', args: '{"city":"Oslo"}' }] },
      { role: 'tool', callId: 'c1', text: 'rain', isError: false },
    ],
    tools: [{ name: 'weather', description: 'Weather.', schema: parameters, strict: false }],
  };

  test.each([
    [
      '/v1/chat/completions',
      {
        model: 'm',
        messages: [
          { role: 'system', content: 'Be brief.' },
          { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
          { role: 'assistant', content: 'Looking.', tool_calls: [{ id: 'c1', type: 'function', function: call }] },
          { role: 'tool', tool_call_id: 'c1', content: 'rain' },
        ],
        tools: [{ type: 'function', function: { name: 'weather', description: 'Weather.', parameters } }],
      },
    ],
    [
      '/v1/responses',
      {
        model: 'm',
        instructions: 'Be brief.',
        input: [
          { role: 'user', content: [{ type: 'input_text', text: 'Weather?' }] },
          { type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'Looking.' }] },
          { type: 'function_call', call_id: 'c1', ...call },
          { type: 'function_call_output', call_id: 'c1', output: 'rain' },
        ],
        tools: [{ type: 'function', name: 'weather', description: 'Weather.', parameters }],
      },
    ],
    [
      '/v1/messages',
      {
        model: 'm',
        max_tokens: 10,
        system: [{ type: 'text', text: 'Be brief.' }],
        messages: [
          { role: 'user', content: 'Weather?' },
          {
            role: 'assistant',
            content: [
              { type: 'text', text: 'Looking.' },
              { type: 'tool_use', id: 'c1', name: 'weather', input: { city: 'Oslo' } },
            ],
          },
          { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'c1', content: 'rain' }] },
        ],
        tools: [{ name: 'weather', description: 'Weather.', input_schema: parameters }],
      },
    ],
  ])('is the same whatever the dialect: %s', async (path, body) => {
    let seen: NeutralRequest | undefined;
    await start({
      script: (request) => {
        seen = request;
        return { text: 'Hi' };
      },
    });
    const response = await post(path, { ...anthropic, ...bearer }, body);
    expect(response.status, await response.text()).toBe(200);
    expect(seen).toMatchObject(expected);
    expect(seen?.raw).toEqual(body);
  });
});
