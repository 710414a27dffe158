// The fake is faithful when Anthropic's own client, which knows nothing of it, completes a tool round against it.
import Anthropic from '@anthropic-ai/sdk';
import { afterEach, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from './model-server.ts';
import type { Reply } from './reply.ts';

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
const request = {
  model: 'claude-fake',
  max_tokens: 1024,
  system: 'Be brief.',
  tools: [
    {
      name: 'weather',
      input_schema: { type: 'object' as const, properties: { city: { type: 'string' } }, required: ['city'] },
    },
  ],
};
const question: Anthropic.MessageParam = { role: 'user', content: 'Weather?' };

let server: ModelServer;
afterEach(() => server.close());

async function start(script: Reply[]): Promise<Anthropic> {
  server = await startModelServer({ script });
  return new Anthropic({ apiKey: 'key-test', baseURL: server.url, maxRetries: 0 });
}

function continued(message: Anthropic.Message): Anthropic.MessageParam[] {
  const results = message.content.flatMap((block) => {
    if (block.type !== 'tool_use') return [];
    const { city } = block.input as { city: string };
    return [{ type: 'tool_result' as const, tool_use_id: block.id, content: `rain in ${city}` }];
  });
  return [question, { role: 'assistant', content: message.content }, { role: 'user', content: results }];
}

test('the Messages API completes a tool round', async () => {
  const client = await start(round);
  const first = await client.messages.create({ ...request, messages: [question] });
  expect(first.stop_reason).toBe('tool_use');
  expect(first.content.map(({ type }) => type)).toEqual(['thinking', 'text', 'tool_use', 'tool_use']);

  const second = await client.messages.create({ ...request, messages: continued(first) });
  expect(second).toMatchObject({ stop_reason: 'end_turn', usage: { input_tokens: 40, output_tokens: 9 } });
  expect(second.content).toMatchObject([{ type: 'text', text: 'It rains in Zürich.' }]);
  expect(server.violations).toEqual([]);
});

test('the Messages API completes a streamed tool round', async () => {
  const client = await start(round);
  const stream = client.messages.stream({ ...request, messages: [question] });
  const texts: string[] = [];
  const inputs: string[] = [];
  stream.on('text', (delta) => texts.push(delta));
  stream.on('inputJson', (delta) => inputs.push(delta));
  const first = await stream.finalMessage();
  expect(texts).toEqual(['Let me ', 'look.']);
  expect(inputs.length).toBeGreaterThan(4);
  expect(first.content).toMatchObject([
    { type: 'thinking', thinking: 'I should look it up.' },
    { type: 'text', text: 'Let me look.' },
    { type: 'tool_use', input: { city: 'Zürich 🌧' } },
    { type: 'tool_use', input: { city: 'Oslo' } },
  ]);

  const second = client.messages.stream({ ...request, messages: continued(first) });
  expect(await second.finalText()).toBe('It rains in Zürich.');
  expect((await second.finalMessage()).usage.output_tokens).toBe(9);
  expect(server.violations).toEqual([]);
});

test('the events come in the order of the service, with a ping among them', async () => {
  const client = await start([{ text: 'Hi', toolCalls: [{ name: 'weather', args: { city: 'Oslo' } }] }]);
  const response = await client.messages.create({ ...request, messages: [question], stream: true }).asResponse();
  const names = [...(await response.text()).matchAll(/^event: (\w+)$/gm)].map(([, name]) => name);
  expect(names).toEqual([
    'message_start',
    'content_block_start',
    'ping',
    'content_block_delta',
    'content_block_stop',
    'content_block_start',
    'content_block_delta',
    'content_block_delta',
    'content_block_delta',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
  ]);
});

test('a message that was stopped says why', async () => {
  const client = await start([
    { text: 'half', finish: 'length' },
    { text: 'I', finish: 'refused' },
  ]);
  const ask = () => client.messages.create({ ...request, messages: [question] });
  expect(await ask()).toMatchObject({ stop_reason: 'max_tokens' });
  expect(await ask()).toMatchObject({ stop_reason: 'refusal', stop_details: { type: 'refusal' } });
});

test('the client gets its own error classes', async () => {
  const client = await start([
    { fault: { kind: 'status', status: 401 } },
    { fault: { kind: 'status', status: 429, headers: { 'retry-after': '7' } } },
    { fault: { kind: 'status', status: 529 } },
    { fault: { kind: 'context-length' } },
    { text: 'Hi', fault: { kind: 'stream-error', at: 3 } },
  ]);
  const ask = () => client.messages.create({ ...request, messages: [question] });
  await expect(ask()).rejects.toMatchObject({ status: 401, type: 'authentication_error' });
  await expect(ask()).rejects.toMatchObject({ status: 429, type: 'rate_limit_error' });
  await expect(ask()).rejects.toMatchObject({ status: 529, type: 'overloaded_error' });
  await expect(ask()).rejects.toMatchObject({ status: 400, message: expect.stringContaining('prompt is too long') });
  const stream = client.messages.stream({ ...request, messages: [question] });
  await expect(stream.finalMessage()).rejects.toMatchObject({ type: 'overloaded_error' });
});

test('the client lists the models', async () => {
  server = await startModelServer({ script: [], models: ['one', 'two'] });
  const client = new Anthropic({ authToken: 'token-test', baseURL: server.url, maxRetries: 0 });
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['one', 'two']);
});
