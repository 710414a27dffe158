// The fake is faithful when OpenAI's own client, which knows nothing of it, completes a tool round against it.
import OpenAI from 'openai';
import { afterEach, expect, test } from 'vitest';
import { type ModelServer, startModelServer } from './model-server.ts';
import type { Reply } from './reply.ts';

const parameters = {
  type: 'object',
  properties: { city: { type: 'string' } },
  required: ['city'],
  additionalProperties: false,
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

async function start(script: Reply[]): Promise<OpenAI> {
  server = await startModelServer({ script });
  return new OpenAI({ apiKey: 'sk-test', baseURL: `${server.url}/v1`, maxRetries: 0 });
}

const responsesRequest = {
  model: 'gpt-fake',
  instructions: 'Be brief.',
  store: false,
  tools: [{ type: 'function' as const, name: 'weather', parameters, strict: true }],
};

function outputsFor(items: OpenAI.Responses.ResponseOutputItem[]): OpenAI.Responses.ResponseInputItem[] {
  return items.flatMap((item) => {
    if (item.type !== 'function_call') return [];
    const { city } = JSON.parse(item.arguments) as { city: string };
    return [{ type: 'function_call_output' as const, call_id: item.call_id, output: `rain in ${city}` }];
  });
}

function expectNeutralRound(): void {
  expect(server.violations).toEqual([]);
  expect(server.requests).toHaveLength(2);
  expect(server.requests.every(({ headers }) => headers.authorization === 'Bearer sk-test')).toBe(true);
}

test('the Responses API completes a tool round', async () => {
  const client = await start(round);
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Weather?' }];
  const first = await client.responses.create({ ...responsesRequest, input });
  expect(first.status).toBe('completed');
  expect(first.output.map(({ type }) => type)).toEqual(['reasoning', 'message', 'function_call', 'function_call']);
  expect(first.output_text).toBe('Let me look.');

  const second = await client.responses.create({
    ...responsesRequest,
    input: [...input, ...(first.output as OpenAI.Responses.ResponseInputItem[]), ...outputsFor(first.output)],
  });
  expect(second.output_text).toBe('It rains in Zürich.');
  expect(second.usage).toMatchObject({ input_tokens: 40, output_tokens: 9, total_tokens: 49 });
  expectNeutralRound();
});

test('the Responses API completes a streamed tool round', async () => {
  const client = await start(round);
  const input: OpenAI.Responses.ResponseInput = [{ role: 'user', content: 'Weather?' }];
  const stream = client.responses.stream({ ...responsesRequest, input });
  const types: string[] = [];
  const deltas: string[] = [];
  const numbers: number[] = [];
  for await (const event of stream) {
    types.push(event.type);
    numbers.push(event.sequence_number);
    if (event.type === 'response.output_text.delta') deltas.push(event.delta);
  }
  const first = await stream.finalResponse();
  expect(deltas).toEqual(['Let me ', 'look.']);
  expect(numbers).toEqual(numbers.map((_, index) => index));
  expect(types.slice(0, 3)).toEqual(['response.created', 'response.in_progress', 'response.output_item.added']);
  expect(types).toContain('response.reasoning_summary_text.delta');
  expect(types.filter((type) => type === 'response.function_call_arguments.delta').length).toBeGreaterThan(2);
  expect(types.at(-1)).toBe('response.completed');
  expect(textOf(first)).toBe('Let me look.');

  const second = client.responses.stream({
    ...responsesRequest,
    input: [...input, ...(first.output as OpenAI.Responses.ResponseInputItem[]), ...outputsFor(first.output)],
  });
  const final = await second.finalResponse();
  expect(textOf(final)).toBe('It rains in Zürich.');
  expect(final.usage?.total_tokens).toBe(49);
  expectNeutralRound();
});

test('a Responses answer that was stopped says why', async () => {
  const client = await start([
    { text: 'half', finish: 'length' },
    { text: 'I', finish: 'refused' },
  ]);
  const ask = () => client.responses.create({ model: 'gpt-fake', input: 'Hi' });
  expect(await ask()).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } });
  expect(await ask()).toMatchObject({ status: 'incomplete', incomplete_details: { reason: 'content_filter' } });
});

/** The client gathers it by itself only for an answer in one piece. */
function textOf({ output }: OpenAI.Responses.Response): string {
  const parts = output.flatMap((item) => (item.type === 'message' ? item.content : []));
  return parts.map((part) => (part.type === 'output_text' ? part.text : '')).join('');
}

const chatRequest = {
  model: 'gpt-fake',
  tools: [{ type: 'function' as const, function: { name: 'weather', parameters, strict: true } }],
};
const conversation: OpenAI.ChatCompletionMessageParam[] = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'Weather?' },
];

function resultsFor(message: OpenAI.ChatCompletionMessage): OpenAI.ChatCompletionMessageParam[] {
  return (message.tool_calls ?? []).flatMap((call) => {
    if (call.type !== 'function') return [];
    const { city } = JSON.parse(call.function.arguments) as { city: string };
    return [{ role: 'tool' as const, tool_call_id: call.id, content: `rain in ${city}` }];
  });
}

test('Chat Completions completes a tool round', async () => {
  const client = await start(round);
  const first = await client.chat.completions.create({ ...chatRequest, messages: conversation });
  const [choice] = first.choices;
  expect(choice?.finish_reason).toBe('tool_calls');
  expect(choice?.message.content).toBe('Let me look.');
  expect(choice?.message.tool_calls).toHaveLength(2);
  if (!choice) throw new Error('no choice');

  const messages = [...conversation, choice.message, ...resultsFor(choice.message)];
  const second = await client.chat.completions.create({ ...chatRequest, messages });
  expect(second.choices[0]).toMatchObject({ finish_reason: 'stop', message: { content: 'It rains in Zürich.' } });
  expect(second.usage).toMatchObject({ prompt_tokens: 40, completion_tokens: 9 });
  expectNeutralRound();
});

test('Chat Completions completes a streamed tool round', async () => {
  const client = await start(round);
  const usage = { stream_options: { include_usage: true } };
  const stream = client.chat.completions.stream({ ...chatRequest, ...usage, messages: conversation });
  const deltas: string[] = [];
  const argumentPieces: string[] = [];
  for await (const { choices } of stream) {
    const delta = choices[0]?.delta;
    if (delta?.content) deltas.push(delta.content);
    for (const call of delta?.tool_calls ?? []) argumentPieces.push(call.function?.arguments ?? '');
  }
  const first = await stream.finalChatCompletion();
  const message = first.choices[0]?.message;
  expect(deltas).toEqual(['Let me ', 'look.']);
  expect(argumentPieces.length).toBeGreaterThan(4);
  expect(first.usage?.total_tokens).toBe(19);
  if (!message) throw new Error('no message');

  const second = client.chat.completions.stream({
    ...chatRequest,
    messages: [...conversation, message, ...resultsFor(message)],
  });
  expect(await second.finalContent()).toBe('It rains in Zürich.');
  expectNeutralRound();
});

test('a Chat Completions answer that was stopped says why', async () => {
  const client = await start([
    { text: 'half', finish: 'length' },
    { text: 'I', finish: 'refused' },
  ]);
  const ask = async () => (await client.chat.completions.create({ ...chatRequest, messages: conversation })).choices[0];
  expect(await ask()).toMatchObject({ finish_reason: 'length' });
  expect(await ask()).toMatchObject({ finish_reason: 'content_filter' });
});

test('the client gets its own error classes', async () => {
  const client = await start([
    { fault: { kind: 'status', status: 401 } },
    { fault: { kind: 'status', status: 429, headers: { 'retry-after': '7' } } },
    { fault: { kind: 'status', status: 500 } },
    { fault: { kind: 'context-length' } },
  ]);
  const ask = () => client.responses.create({ model: 'gpt-fake', input: 'Hi' });
  await expect(ask()).rejects.toMatchObject({ status: 401, code: 'invalid_api_key' });
  const limited = await ask().catch((error: unknown) => error as InstanceType<typeof OpenAI.RateLimitError>);
  expect(limited).toBeInstanceOf(OpenAI.RateLimitError);
  expect('headers' in limited && limited.headers?.get('retry-after')).toBe('7');
  await expect(ask()).rejects.toBeInstanceOf(OpenAI.InternalServerError);
  await expect(ask()).rejects.toMatchObject({ status: 400, code: 'context_length_exceeded' });
});

test('the client lists the models', async () => {
  server = await startModelServer({ script: [], models: ['one', 'two'] });
  const client = new OpenAI({ apiKey: 'sk-test', baseURL: `${server.url}/v1`, maxRetries: 0 });
  expect((await client.models.list()).data.map(({ id }) => id)).toEqual(['one', 'two']);
  const unknown = client.responses.create({ model: 'three', input: 'Hi' });
  await expect(unknown).rejects.toMatchObject({ status: 404, code: 'model_not_found' });
});
