// A client with a wire of its own, which checks every chunk against its schemas: the AI SDK's provider of OpenAI-compatible servers.
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { beforeEach, expect, it } from 'vitest';
import { startModelServer } from '../../../test/fakes/model-server/model-server.ts';
import type { Reply } from '../../../test/fakes/model-server/reply.ts';
import { testConsole } from '../../../test/support/test-console.ts';
import { afterFile } from '../../../test/support/test-home.ts';

const ANSWER: Reply = { text: ['It rains ', 'in Zürich. 🌧'], usage: { input: 20, output: 5 } };

let replies: Reply[] = [];
const server = await startModelServer({ script: () => replies.shift() ?? ANSWER });
afterFile(() => server.close());
const { runtime, port } = await testConsole(
  { provider: 'openai-compatible', baseUrl: `${server.url}/v1`, model: 'fake' },
  { LAINCLAW_API_KEY: 'key-of-a-test' },
);
const { secret } = await (await runtime.consoleAccess()).createKey('ai-sdk');

const clientWith = (apiKey: string) =>
  createOpenAICompatible({
    name: 'lainclaw',
    baseURL: `http://127.0.0.1:${port}/v1`,
    apiKey,
    includeUsage: true,
  }).chatModel('lainclaw');
const model = clientWith(secret);

type Options = Parameters<typeof model.doGenerate>[0];
type Message = Options['prompt'][number];

const WEATHER = {
  type: 'function' as const,
  name: 'weather',
  description: 'The weather of a city.',
  inputSchema: { type: 'object' as const, properties: { city: { type: 'string' as const } }, required: ['city'] },
};
const QUESTION: Message[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: [{ type: 'text', text: 'Weather?' }] },
];
const CALLS: Reply = {
  text: ['Let me ', 'look.'],
  toolCalls: [
    { name: 'weather', args: { city: 'Zürich 🌧' } },
    { name: 'weather', args: { city: 'Oslo' } },
  ],
};

beforeEach(() => {
  replies = [];
});

it('answers a tool round at once', async () => {
  replies = [CALLS];
  const first = await model.doGenerate({ prompt: QUESTION, tools: [WEATHER] });
  expect(first.finishReason.unified).toBe('tool-calls');
  expect(first.content).toMatchObject([
    { type: 'text', text: 'Let me look.' },
    { type: 'tool-call', toolName: 'weather', input: JSON.stringify({ city: 'Zürich 🌧' }) },
    { type: 'tool-call', toolName: 'weather', input: JSON.stringify({ city: 'Oslo' }) },
  ]);
  const calls = first.content.flatMap((part) => (part.type === 'tool-call' ? [part] : []));
  const second = await model.doGenerate({
    prompt: [
      ...QUESTION,
      {
        role: 'assistant',
        content: calls.map(({ toolCallId, toolName, input }) => ({
          type: 'tool-call',
          toolCallId,
          toolName,
          input: JSON.parse(input),
        })),
      },
      {
        role: 'tool',
        content: calls.map(({ toolCallId, toolName }) => ({
          type: 'tool-result',
          toolCallId,
          toolName,
          output: { type: 'text', value: 'rain' },
        })),
      },
    ],
    tools: [WEATHER],
  });
  expect(second.finishReason.unified).toBe('stop');
  expect(second.content).toMatchObject([{ type: 'text', text: 'It rains in Zürich. 🌧' }]);
  expect(server.violations).toEqual([]);
});

it('streams text, calls and usage', async () => {
  replies = [CALLS];
  const { stream } = await model.doStream({ prompt: QUESTION, tools: [WEATHER] });
  const parts = await Array.fromAsync(stream);
  expect(parts.filter(({ type }) => type === 'error')).toEqual([]);
  const text = parts.map((part) => (part.type === 'text-delta' ? part.delta : '')).join('');
  expect(text).toBe('Let me look.');
  expect(parts.filter(({ type }) => type === 'tool-call')).toMatchObject([
    { toolName: 'weather', input: JSON.stringify({ city: 'Zürich 🌧' }) },
    { toolName: 'weather', input: JSON.stringify({ city: 'Oslo' }) },
  ]);
  const answer = await Array.fromAsync((await model.doStream({ prompt: QUESTION })).stream);
  expect(answer.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(0);
  expect(answer.at(-1)).toMatchObject({
    type: 'finish',
    finishReason: { unified: 'stop' },
    usage: { inputTokens: { total: 20 }, outputTokens: { total: 5 } },
  });
  expect(server.violations).toEqual([]);
});

it('understands a refusal in the shape of its errors', async () => {
  await expect(clientWith('not-a-key').doGenerate({ prompt: QUESTION })).rejects.toMatchObject({
    statusCode: 401,
    isRetryable: false,
    data: { error: { message: expect.stringContaining('key') } },
  });
});
