// Everything that goes wrong on the way, seen by a client that reads bytes and by OpenAI's own.
import fc from 'fast-check';
import OpenAI from 'openai';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type ModelServer, startModelServer } from './model-server.ts';
import type { Dialect } from './neutral-request.ts';
import { replyBytes } from './render-reply.ts';
import type { Reply } from './reply.ts';

let server: ModelServer;
beforeEach(async () => {
  server = await startModelServer({ script: [] });
});
afterEach(() => server.close());

const chat = { model: 'm', messages: [{ role: 'user', content: 'Hi' }] };
const requests: Record<Dialect, { path: string; body: object }> = {
  chat: { path: '/v1/chat/completions', body: { ...chat, stream_options: { include_usage: true } } },
  responses: { path: '/v1/responses', body: { model: 'm', input: 'Hi' } },
  codex: {
    path: '/codex/responses',
    body: { model: 'm', instructions: 'x', store: false, input: [{ role: 'user', content: 'Hi' }] },
  },
  messages: { path: '/v1/messages', body: { ...chat, max_tokens: 10 } },
};
const dialects = Object.keys(requests) as Dialect[];
const reply: Reply = { text: ['Grüße ', '🌧'], toolCalls: [{ name: 'weather', args: { city: 'Zürich' } }] };

function ask(dialect: Dialect, script: Reply, signal?: AbortSignal): Promise<Response> {
  server.setScript([script]);
  const { path, body } = requests[dialect];
  return fetch(server.url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      authorization: 'Bearer k',
      'anthropic-version': '2023-06-01',
      'chatgpt-account-id': 'a',
    },
    body: JSON.stringify({ ...body, stream: true }),
    ...(signal ? { signal } : {}),
  });
}

/** What arrived before the body ended, and whether it ended in good order. */
async function drain(response: Response): Promise<{ bytes: Buffer; chunks: number; complete: boolean }> {
  const chunks: Uint8Array[] = [];
  try {
    for await (const chunk of response.body ?? []) chunks.push(chunk);
    return { bytes: Buffer.concat(chunks), chunks: chunks.length, complete: true };
  } catch {
    return { bytes: Buffer.concat(chunks), chunks: chunks.length, complete: false };
  }
}

/** The ids differ from one rendering to the next. */
function withoutIds(bytes: Buffer): string {
  return bytes.toString().replaceAll(/_[0-9a-z]{24}|-[0-9a-z]{24}/g, '_ID');
}

describe.each(dialects)('in the %s dialect', (dialect) => {
  const whole = replyBytes(reply, { dialect, model: 'm' });

  test('what is rendered for a test is what the server sends', async () => {
    const { bytes, complete } = await drain(await ask(dialect, reply));
    expect(complete).toBe(true);
    expect(bytes.length).toBe(whole.length);
    expect(withoutIds(bytes)).toBe(withoutIds(whole));
  });

  test('a stream is cut after any byte', async () => {
    for (let afterBytes = 0; afterBytes <= whole.length; afterBytes += 127) {
      const { bytes, complete } = await drain(await ask(dialect, { ...reply, fault: { kind: 'cut', afterBytes } }));
      expect([bytes.length, complete]).toEqual([afterBytes, false]);
    }
    expect(await server.requests.at(-1)?.ended).toBe('cut');
  });

  test('a stream is cut after its last byte', async () => {
    const fault = { kind: 'cut' as const, afterBytes: whole.length };
    expect(await drain(await ask(dialect, { ...reply, fault }))).toMatchObject({ complete: false });
  });

  test('a body ends in good order before its stream does', async () => {
    for (let afterBytes = 0; afterBytes < whole.length; afterBytes += 211) {
      const fault = { kind: 'end-early' as const, afterBytes };
      const { bytes, complete } = await drain(await ask(dialect, { ...reply, fault }));
      expect([bytes.length, complete]).toEqual([afterBytes, true]);
    }
  });

  test('a stream hangs until the client closes', async () => {
    const aborter = new AbortController();
    const response = await ask(dialect, { ...reply, fault: { kind: 'hang', afterBytes: 100 } }, aborter.signal);
    const reader = response.body?.getReader();
    expect((await reader?.read())?.value).toHaveLength(100);
    aborter.abort();
    expect(await server.requests[0]?.ended).toBe('client-closed');
  });

  test('a server hangs before it says anything', async () => {
    const aborter = new AbortController();
    const asked = ask(dialect, { ...reply, fault: { kind: 'hang' } }, aborter.signal);
    const refused = expect(asked).rejects.toThrow();
    await eventually(() => expect(server.requests).toHaveLength(1));
    aborter.abort();
    await refused;
    expect(await server.requests[0]?.ended).toBe('client-closed');
  });

  test('a frame is not JSON, and the others are', async () => {
    const { bytes } = await drain(await ask(dialect, { ...reply, fault: { kind: 'malformed-frame', at: 3 } }));
    const data = [...bytes.toString().matchAll(/^data: (.*)$/gm)].map(([, text = '']) => text);
    const broken = data.flatMap((text, index) => (isJson(text) || text === '[DONE]' ? [] : [index]));
    expect(broken).toEqual([3]);
  });

  test('the service fails after it has begun', async () => {
    const fault = { kind: 'stream-error' as const, at: 3, code: 'overloaded', message: 'Too much.' };
    const { bytes } = await drain(await ask(dialect, { ...reply, fault }));
    const frames = bytes.toString().split('\n\n').filter(Boolean);
    expect(frames).toHaveLength(4);
    expect(frames[3]).toContain('"message":"Too much."');
    expect(frames[3]).toContain('"overloaded"');
  });

  test.each([401, 403, 404, 429, 500, 503, 529])('the service answers %d in its own words', async (status) => {
    const response = await ask(dialect, { fault: { kind: 'status', status, headers: { 'retry-after': '3' } } });
    expect(response.status).toBe(status);
    expect(response.headers.get('retry-after')).toBe('3');
    expect(await response.json()).toMatchObject({ error: { type: expect.any(String), message: expect.any(String) } });
    expect(server.violations).toEqual([]);
  });

  test('a gateway answers in its own way', async () => {
    const body = '<html>Bad gateway</html>';
    const response = await ask(dialect, { fault: { kind: 'status', status: 502, body } });
    expect([response.status, await response.text()]).toEqual([502, body]);
  });

  test('something else altogether is sent', async () => {
    const { bytes } = await drain(await ask(dialect, { rawBody: '<html>Sign in to the Wi-Fi</html>' }));
    expect(bytes.toString()).toBe('<html>Sign in to the Wi-Fi</html>');
  });

  test('the bytes come a few at a time', async () => {
    const { bytes, chunks } = await drain(await ask(dialect, { ...reply, fault: { kind: 'slow-bytes', chunk: 3 } }));
    expect(chunks).toBeGreaterThan(bytes.length / 6);
    expect(withoutIds(bytes)).toBe(withoutIds(whole));
  });

  test('an answer takes its time', async () => {
    const begun = performance.now();
    const fault = { kind: 'delay' as const, beforeHeadersMs: 20, betweenFramesMs: 1 };
    const response = await ask(dialect, { ...reply, fault });
    expect(performance.now() - begun).toBeGreaterThan(18);
    const { bytes, chunks } = await drain(response);
    expect(chunks).toBeGreaterThan(3);
    expect(bytes.length).toBe(whole.length);
  });
});

test('a fault that does not fit its reply is a violation', async () => {
  const response = await ask('chat', { text: 'Hi', fault: { kind: 'malformed-frame', at: 40 } });
  expect(response.status).toBe(500);
  expect(server.violations).toEqual([expect.stringContaining('malformed-frame at 40: the reply has 5 frames')]);
});

test('closing the server ends what hangs', async () => {
  const asked = ask('chat', { fault: { kind: 'hang' } });
  const refused = expect(asked).rejects.toThrow();
  while (server.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 1));
  await server.close();
  await refused;
});

test('any text and any arguments survive being sent in pieces of any size', async () => {
  const client = new OpenAI({ apiKey: 'k', baseURL: `${server.url}/v1`, maxRetries: 0 });
  const words = fc.array(fc.string({ unit: 'grapheme', minLength: 1 }), { minLength: 1, maxLength: 4 });
  const property = fc.asyncProperty(
    words,
    fc.jsonValue(),
    fc.integer({ min: 2, max: 40 }),
    async (text, value, chunk) => {
      const fault = { kind: 'slow-bytes' as const, chunk };
      server.setScript([{ text, toolCalls: [{ name: 'weather', args: { value } }], fault }]);
      const messages = [{ role: 'user' as const, content: 'Hi' }];
      const stream = client.chat.completions.stream({ model: 'm', messages });
      const message = (await stream.finalChatCompletion()).choices[0]?.message;
      const call = message?.tool_calls?.[0];
      expect(message?.content).toBe(text.join(''));
      expect(call?.type === 'function' && call.function.arguments).toBe(JSON.stringify({ value }));
    },
  );
  await fc.assert(property, { numRuns: 15 });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
