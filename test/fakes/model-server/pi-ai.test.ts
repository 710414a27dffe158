// The model library this project calls the services with completes a tool round against the fake, on every dialect.

import type { AssistantMessage, Message, Model, StreamFunction, StreamOptions, Tool } from '@earendil-works/pi-ai';
import { normalizeContext } from '@earendil-works/pi-ai/utils/transcript';
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { unmodifiedPiAi } from '../../support/unmodified-pi-ai.ts';
import { codexToken } from './codex-token.ts';
import { type ModelServer, startModelServer } from './model-server.ts';
import type { Reply } from './reply.ts';

const [streamMessages, streamCodex, streamChat, streamResponses] = [
  'anthropic-messages',
  'openai-codex-responses',
  'openai-completions',
  'openai-responses',
].map((name) => unmodifiedPiAi<{ stream: unknown }>(`api/${name}`).stream);

interface Api {
  title?: string;
  name: string;
  path: string;
  /** What comes after the server's address in the model's `baseUrl`. */
  base: string;
  token: string;
  compat?: object;
  stream: unknown;
}

const apis: Api[] = [
  { name: 'openai-responses', path: '/v1/responses', base: '/v1', token: 'sk-test', stream: streamResponses },
  {
    name: 'openai-codex-responses',
    path: '/backend-api/codex/responses',
    base: '/backend-api',
    token: codexToken('account-7'),
    stream: streamCodex,
  },
  { name: 'openai-completions', path: '/v1/chat/completions', base: '/v1', token: 'sk-test', stream: streamChat },
  { name: 'anthropic-messages', path: '/v1/messages', base: '', token: 'key-test', stream: streamMessages },
];
/** What the library's catalogue says of the newest Claude models: effort and tool changes told in system messages. */
const newestClaude: Api = {
  title: 'anthropic-messages with the newest models',
  name: 'anthropic-messages',
  path: '/v1/messages',
  base: '',
  token: 'key-test',
  stream: streamMessages,
  compat: {
    supportsMidConvoEffort: true,
    supportsMidConvoSystemMessages: true,
    supportsMidConvoToolChanges: true,
    forceAdaptiveThinking: true,
    supportsTemperature: false,
    supportsStrictTools: true,
  },
};

const weather: Tool = {
  name: 'weather',
  description: 'The weather of a city.',
  parameters: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};
const round: Reply[] = [
  {
    reasoning: 'I should look it up.',
    text: ['Let me ', 'look.'],
    toolCalls: [
      { name: 'weather', args: { city: 'Zürich 🌧' } },
      { name: 'weather', args: { city: 'Oslo' } },
    ],
  },
  { text: 'It rains in Zürich.', usage: { input: 40, output: 9 } },
];

let server: ModelServer;
afterEach(() => server.close());

function ask(api: Api, messages: Message[], options: StreamOptions = {}): Promise<AssistantMessage> {
  const model = {
    id: 'model-fake',
    name: 'Fake',
    api: api.name,
    provider: 'fake',
    baseUrl: server.url + api.base,
    reasoning: true,
    input: ['text'],
    cost: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 100_000,
    maxTokens: 4096,
    compat: api.compat,
  } as Model<string>;
  const context = normalizeContext({ systemPrompt: 'Be brief.', tools: [weather], messages });
  const stream = api.stream as StreamFunction<string>;
  return stream(model, context, { apiKey: api.token, transport: 'sse', ...options }).result();
}

const question: Message = { role: 'user', content: 'Weather?', timestamp: 1 };

function resultsFor(message: AssistantMessage): Message[] {
  return message.content.flatMap((block) => {
    if (block.type !== 'toolCall') return [];
    const content = [{ type: 'text' as const, text: `rain in ${String(block.arguments.city)}` }];
    return [
      {
        role: 'toolResult' as const,
        toolCallId: block.id,
        toolName: block.name,
        content,
        isError: false,
        timestamp: 2,
      },
    ];
  });
}

describe.each([...apis.map((api) => ({ title: api.name, ...api })), newestClaude])('$title', (api) => {
  test('completes a tool round', async () => {
    server = await startModelServer({ script: round, accept: (token) => token === api.token });
    const first = await ask(api, [question]);
    expect(first).toMatchObject({ stopReason: 'toolUse', usage: { input: 12, output: 7 } });
    expect(first.content).toMatchObject([
      { type: 'thinking', thinking: 'I should look it up.' },
      { type: 'text', text: 'Let me look.' },
      { type: 'toolCall', name: 'weather', arguments: { city: 'Zürich 🌧' } },
      { type: 'toolCall', name: 'weather', arguments: { city: 'Oslo' } },
    ]);

    const second = await ask(api, [question, first, ...resultsFor(first)]);
    expect(second).toMatchObject({ stopReason: 'stop', content: [{ type: 'text', text: 'It rains in Zürich.' }] });
    expect(server.violations).toEqual([]);
    expect(server.requests.map(({ path }) => path)).toEqual([api.path, api.path]);
  });

  test('a refused token, a lost connection and an unfinished stream end as errors, none of them tried again', async () => {
    server = await startModelServer({
      script: [
        { fault: { kind: 'status', status: 401 } },
        { text: 'Hi', fault: { kind: 'cut', afterBytes: 200 } },
        { text: 'Hi', fault: { kind: 'end-early', afterBytes: 200 } },
      ],
    });
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      expect(await ask(api, [question])).toMatchObject({ stopReason: 'error', errorMessage: expect.any(String) });
      expect(server.requests).toHaveLength(attempt);
    }
  });

  test('a client that is cancelled closes the connection', async () => {
    server = await startModelServer({ script: [{ text: 'Hi', fault: { kind: 'hang', afterBytes: 200 } }] });
    const control = new AbortController();
    const asked = ask(api, [question], { signal: control.signal });
    await eventually(() => expect(server.requests).toHaveLength(1));
    control.abort();
    expect((await asked).stopReason).toBe('aborted');
    expect(await server.requests[0]?.ended).toBe('client-closed');
  });
});

test('the codex path gets a compressed body, the account of the token and a session', async () => {
  const [, codex] = apis;
  if (!codex) throw new Error('no codex');
  server = await startModelServer({ script: [{ text: 'Hi' }] });
  await ask(codex, [question], { sessionId: 'session-1' });
  expect(server.requests[0]?.headers).toMatchObject({
    'content-encoding': 'zstd',
    'chatgpt-account-id': 'account-7',
    originator: 'pi',
    'openai-beta': 'responses=experimental',
    'session-id': 'session-1',
  });
  expect(server.requests[0]?.body).toMatchObject({ instructions: 'Be brief.', store: false, stream: true });
  expect(server.requests[0]?.dialect).toBe('codex');
});

test('a client that prefers a WebSocket is refused and falls back to plain HTTP', async () => {
  const [, codex] = apis;
  if (!codex) throw new Error('no codex');
  server = await startModelServer({ script: [{ text: 'Hi' }] });
  expect(await ask(codex, [question], { transport: 'auto' })).toMatchObject({ stopReason: 'stop' });
  expect(server.refusedUpgrades).toBe(1);
  expect(server.requests).toHaveLength(1);
});
