import { afterEach, expect, it } from 'vitest';
import { type GeminiAnswer, type GeminiServer, startGeminiServer } from '../../../test/fakes/gemini-server.ts';
import { memoryOwnerFiles } from '../../../test/support/memory-owner-files.ts';
import type { ModelEvent } from '../adapter.ts';
import { createModelLimits } from '../model-limits.ts';
import { findProvider } from '../providers/all.ts';
import { createPiAdapter } from './pi-adapter.ts';

const KEY = 'key-7Qx2mVb91LkTtR4w';
const FOUND: GeminiAnswer = {
  texts: ['It opens ', 'at seven.'],
  pages: [
    { uri: 'https://vertexaisearch.example/redirect/1', title: 'harbour.example' },
    { uri: 'https://vertexaisearch.example/redirect/2', title: 'news.example' },
  ],
};

let server: GeminiServer | undefined;
afterEach(() => server?.close());

async function search(answer: GeminiAnswer, { secret = KEY } = {}): Promise<ModelEvent[]> {
  server = await startGeminiServer(KEY, answer);
  const provider = findProvider('gemini');
  if (!provider) throw new Error('there is no gemini');
  const { url } = server;
  const adapter = createPiAdapter({
    provider,
    endpoint: async () => ({ ok: true, provider, baseUrl: `${url}/openai` }),
    limits: createModelLimits({ files: memoryOwnerFiles(), now: Date.now }),
    windows: { known: async () => ({ isOpen: false }), lookUp: async () => undefined },
    credentials: {
      credential: async () => ({ ok: true, kind: 'api-key', secret }),
      profileFor: async () => undefined,
      baseUrlFor: async () => undefined,
    },
    defaultModel: async () => ({ id: 'gemini-flash-latest' }),
    fetch: globalThis.fetch,
    now: Date.now,
  });
  const events: ModelEvent[] = [];
  const asked = {
    system: ['Search.'],
    messages: [{ role: 'user' as const, text: 'when does it open?' }],
    tools: [],
    webSearch: { site: 'harbour.example' },
    sessionId: 's',
  };
  for await (const event of adapter.stream(asked, new AbortController().signal)) events.push(event);
  return events;
}

it('Gemini searches through its own protocol: text, pages and tokens', async () => {
  expect(await search(FOUND)).toEqual([
    { type: 'text-delta', text: 'It opens ' },
    { type: 'text-delta', text: 'at seven.' },
    { type: 'sources', sources: FOUND.pages.map(({ uri, title }) => ({ url: uri, title })) },
    {
      type: 'finish',
      reason: 'stop',
      usage: { inputTokens: 120, outputTokens: 35, costUsd: expect.any(Number) },
    },
  ]);
  expect(server?.questions).toEqual(['when does it open? site:harbour.example']);
  expect(server?.violations).toEqual([]);
});

it('a refused key and a blocked answer are failures that name no secret', async () => {
  const refused = await search(FOUND, { secret: 'wrong-key-1234567890' });
  expect(refused).toMatchObject([{ type: 'failure' }]);
  expect(JSON.stringify(refused)).not.toContain('wrong-key-1234567890');
  expect((await search({ ...FOUND, finishReason: 'SAFETY' })).at(-1)).toMatchObject({ type: 'failure' });
});
