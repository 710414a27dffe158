// Another real client of both protocols, which reads their streams its own way: a tool round with a tool of the client.
import type { AssistantMessage, Message, Model, StreamFunction, Tool } from '@earendil-works/pi-ai';
import { normalizeContext } from '@earendil-works/pi-ai/utils/transcript';
import { expect, it } from 'vitest';
import { startModelServer } from '../../../test/fakes/model-server/model-server.ts';
import type { Reply } from '../../../test/fakes/model-server/reply.ts';
import { testConsole } from '../../../test/support/test-console.ts';
import { afterFile } from '../../../test/support/test-home.ts';
import { unmodifiedPiAi } from '../../../test/support/unmodified-pi-ai.ts';

const [streamChat, streamResponses] = ['openai-completions', 'openai-responses'].map(
  (name) => unmodifiedPiAi<{ stream: unknown }>(`api/${name}`).stream,
);

let replies: Reply[] = [];
const server = await startModelServer({ script: () => replies.shift() ?? { text: 'It rains in Zürich.' } });
afterFile(() => server.close());
const { runtime, port } = await testConsole(
  { provider: 'openai-compatible', baseUrl: `${server.url}/v1`, model: 'fake' },
  { LAINCLAW_API_KEY: 'key-of-a-test' },
);
const { secret } = await (await runtime.consoleAccess()).createKey('pi-ai');

const WEATHER: Tool = {
  name: 'weather',
  description: 'The weather of a city.',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
const QUESTION: Message = { role: 'user', content: 'Weather?', timestamp: 1 };

function ask(api: string, stream: unknown, messages: Message[]): Promise<AssistantMessage> {
  const model = {
    id: 'lainclaw',
    name: 'Lainclaw',
    api,
    provider: 'lainclaw',
    baseUrl: `http://127.0.0.1:${port}/v1`,
    reasoning: false,
    input: ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 100_000,
    maxTokens: 4_096,
  } as Model<string>;
  const context = normalizeContext({ systemPrompt: 'Be brief.', tools: [WEATHER], messages });
  return (stream as StreamFunction<string>)(model, context, { apiKey: secret }).result();
}

it.each([
  ['openai-completions', streamChat],
  ['openai-responses', streamResponses],
])('completes a tool round over %s', async (api, stream) => {
  replies = [
    {
      text: ['Let me ', 'look.'],
      toolCalls: [
        { name: 'weather', args: { city: 'Zürich 🌧' } },
        { name: 'weather', args: { city: 'Oslo' } },
      ],
      usage: { input: 12, output: 7 },
    },
  ];
  const first = await ask(api, stream, [QUESTION]);
  expect(first).toMatchObject({ stopReason: 'toolUse', usage: { input: 12, output: 7 } });
  expect(first.content).toMatchObject([
    { type: 'text', text: 'Let me look.' },
    { type: 'toolCall', name: 'weather', arguments: { city: 'Zürich 🌧' } },
    { type: 'toolCall', name: 'weather', arguments: { city: 'Oslo' } },
  ]);
  const results = first.content.flatMap((block): Message[] =>
    block.type === 'toolCall'
      ? [
          {
            role: 'toolResult',
            toolCallId: block.id,
            toolName: block.name,
            content: [{ type: 'text', text: 'rain' }],
            isError: false,
            timestamp: 2,
          },
        ]
      : [],
  );
  expect(await ask(api, stream, [QUESTION, first, ...results])).toMatchObject({
    stopReason: 'stop',
    content: [{ type: 'text', text: 'It rains in Zürich.' }],
  });
  expect(server.violations).toEqual([]);
});
