import { afterEach, describe, expect, test } from 'vitest';
import { collect, requestOf } from '../../test/conformance/adapter-subject.ts';
import {
  type ModelServer,
  type ModelServerOptions,
  startModelServer,
} from '../../test/fakes/model-server/model-server.ts';
import { memoryOwnerFiles } from '../../test/support/memory-owner-files.ts';
import type { Adapter } from './adapter.ts';
import { createModelLimits } from './model-limits.ts';
import { createProviderAdapters } from './provider-adapters.ts';

const HOUR_MS = 60 * 60 * 1000;
let server: ModelServer;
afterEach(() => server.close());

async function serve(options: Partial<ModelServerOptions> = {}): Promise<void> {
  server = await startModelServer({ script: () => ({ text: 'Hi' }), anonymous: true, models: ['small'], ...options });
}

interface Opened {
  files?: ReturnType<typeof memoryOwnerFiles>;
  now?: () => number;
  contextWindow?: number;
}

function open(provider: string, { files = memoryOwnerFiles(), now = Date.now, contextWindow }: Opened = {}): Adapter {
  const adapters = createProviderAdapters({
    env: {},
    baseUrls: { [provider]: `${server.url}/v1` },
    credentials: {
      credential: async () => ({ ok: true, kind: 'none' }),
      profileFor: async () => undefined,
      baseUrlFor: async () => undefined,
    },
    limits: createModelLimits({ files, now }),
    now,
    contextWindow,
    retryPolicy: {
      idleMs: 5000,
      totalMs: 9000,
      retries: 0,
      firstWaitMs: 1,
      longestWaitMs: 1,
      retryAfterCapMs: 1,
      longestAnswer: 1_000_000,
    },
  });
  const adapter = adapters.get(provider);
  if (!adapter) throw new Error('no adapter');
  return adapter;
}

async function windowOf(adapter: Adapter, named?: string): Promise<number | undefined> {
  const { model, contextWindow, isWindowOpen } = await adapter.describe({ model: named });
  return isWindowOpen ? adapter.lookUpWindow?.({ model }) : contextWindow;
}

describe('what a server says that a model takes in', () => {
  test.for(['vllm', 'lmstudio', 'llama-cpp', 'openai-compatible', 'openrouter', 'gemini'])(
    'is used where nobody else knows it: %s',
    async (provider) => {
      await serve({ contextWindow: 8_192 });
      expect(await windowOf(open(provider), 'small')).toBe(8_192);
    },
  );

  test('is that of the loaded model of Ollama, with and without its tag', async () => {
    await serve({ contextWindow: 4_096, models: ['small:latest'] });
    expect([await windowOf(open('ollama'), 'small'), await windowOf(open('ollama'), 'small:latest')]).toEqual([
      4_096, 4_096,
    ]);
  });

  test('is asked once an hour, by whatever process; also when it says nothing', async () => {
    await serve();
    let time = Date.parse('2026-11-16T08:00:00Z');
    const files = memoryOwnerFiles();
    const ask = () => windowOf(open('openai-compatible', { files, now: () => time }), 'small');
    expect([await ask(), await ask(), server.lookups.length]).toEqual([undefined, undefined, 1]);
    time += HOUR_MS;
    expect([await ask(), server.lookups.length]).toEqual([undefined, 2]);
  });

  test('comes with the list where no model was named, and one known to the library is not looked up', async () => {
    await serve({ contextWindow: 8_192 });
    expect([await windowOf(open('vllm')), server.lookups.length]).toEqual([8_192, 1]);
    expect(await windowOf(open('anthropic'), 'claude-sonnet-5')).toBeGreaterThan(100_000);
    expect(server.lookups).toHaveLength(1);
  });

  test.for([401, 500])('does not matter when it answers %i', async (status) => {
    await serve({ accept: () => status !== 401, anonymous: false });
    expect(await windowOf(open('openai-compatible'), 'small')).toBeUndefined();
  });
});

test("the owner's number holds where it is smaller, and where nobody knows", async () => {
  await serve({ contextWindow: 8_192 });
  expect(await windowOf(open('vllm', { contextWindow: 6_000 }), 'small')).toBe(6_000);
  expect(await windowOf(open('vllm', { contextWindow: 60_000 }), 'small')).toBe(8_192);
});

const REFUSALS = [
  ["This model's maximum context length is 4096 tokens. However, your messages resulted in 5000 tokens.", 4_096],
  ['prompt is too long: 204242 tokens > 200000 maximum', 200_000],
  ['the request exceeds the available context size (4096 tokens), try increasing it', 4_096],
  ['The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).', 1_048_576],
  ['Prompt contains 40000 tokens, too large for model with 32768 maximum context length', 32_768],
  ["This model's maximum prompt length is 131072 but the request contains 537812 tokens.", 131_072],
  ['The model is loaded with context length of only 4096 tokens, which is not enough', 4_096],
  ['Range of input length should be [1, 30720]', 30_720],
] as const;

describe('a request that is too long', () => {
  test.for(REFUSALS)('says the window, which is remembered: %s', async ([message, tokens]) => {
    await serve({ script: () => ({ fault: { kind: 'status', status: 400, body: { error: { message } } } }) });
    const files = memoryOwnerFiles();
    const { events } = await collect(open('openai-compatible', { files }), { ...requestOf(), model: 'small' });
    expect(events.at(-1)).toMatchObject({ failure: { code: 'context_length', contextWindow: tokens } });
    expect(await windowOf(open('openai-compatible', { files }), 'small')).toBe(tokens);
  });

  test('without a number is smaller than what was sent, unless somebody knows the window', async () => {
    await serve({
      script: () => ({ fault: { kind: 'status', status: 400, body: { error: { message: 'input too long' } } } }),
    });
    const files = memoryOwnerFiles();
    const request = { ...requestOf(), messages: [{ role: 'user' as const, text: 'word '.repeat(20_000) }] };
    await collect(open('openai-compatible', { files }), { ...request, model: 'small' });
    const guessed = (await windowOf(open('openai-compatible', { files }), 'small')) ?? 0;
    expect(guessed).toBeGreaterThan(15_000);
    expect(guessed).toBeLessThan(25_000);
    await collect(open('anthropic', { files }), { ...request, model: 'claude-sonnet-5' });
    expect(await windowOf(open('anthropic', { files }), 'claude-sonnet-5')).toBeGreaterThan(100_000);
  });
});
