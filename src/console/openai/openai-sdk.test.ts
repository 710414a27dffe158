// The official client, unmodified, against the API of a gateway with a fake model.
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { startModelServer } from '../../../test/fakes/model-server/model-server.ts';
import type { NeutralRequest } from '../../../test/fakes/model-server/neutral-request.ts';
import type { Reply } from '../../../test/fakes/model-server/reply.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { testConsole } from '../../../test/support/test-console.ts';
import { afterFile } from '../../../test/support/test-home.ts';
import type { ConsoleContext } from '../context.ts';
import { startApiTurn } from './api-turn.ts';

const asked: NeutralRequest[] = [];
/** The next replies of the model; afterwards it greets. */
let replies: Reply[] = [];
const server = await startModelServer({
  script: (request) => {
    asked.push(request);
    return replies.shift() ?? { text: ['Good ', 'day.'], usage: { input: 11, output: 3 } };
  },
});
afterFile(() => server.close());
const { runtime, port, send, settings } = await testConsole(
  { provider: 'openai-compatible', baseUrl: `${server.url}/v1`, model: 'fake', modelTitles: false },
  { LAINCLAW_API_KEY: 'key-of-a-test' },
);
const access = await runtime.consoleAccess();
const { secret, id } = await access.createKey('the SDK');
const client = new OpenAI({ apiKey: secret, baseURL: `http://127.0.0.1:${port}/v1`, maxRetries: 0 });
const WEATHER = {
  name: 'get_weather',
  description: 'The weather of a city',
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};
/** What a turn of the API uses of its context. */
const context = (): ConsoleContext =>
  ({
    runtime,
    workspaceFor: () => runtime.openWorkspace({ root: settings().workspace }),
    unattendedMode: () => 'never',
    log() {},
  }) as unknown as ConsoleContext;
const messagesOf = (request: NeutralRequest | undefined) => request?.messages.map(({ role, text }) => [role, text]);
const calls = (...toolCalls: NonNullable<Reply['toolCalls']>): Reply => ({ toolCalls });

describe('chat completions', () => {
  it('answers with the conversation of the client, its system message and our tools', async () => {
    const answer = await client.chat.completions.create({
      model: 'lainclaw',
      messages: [
        { role: 'system', content: 'Speak like a pirate.' },
        { role: 'user', content: 'Hello' },
        { role: 'assistant', content: 'Ahoy!' },
        { role: 'user', content: [{ type: 'text', text: 'And now?' }] },
      ],
    });
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'stop',
      message: { role: 'assistant', content: 'Good day.' },
    });
    expect(answer.usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 3, total_tokens: 14 });
    const request = asked.at(-1);
    expect(messagesOf(request)).toEqual([
      ['user', 'Hello'],
      ['assistant', 'Ahoy!'],
      ['user', 'And now?'],
    ]);
    expect(request?.system.join('\n')).toContain('Speak like a pirate.');
    expect(request?.tools.map(({ name }) => name)).toContain('fs_read_file');
  });

  it('streams, and tells at the end what was used', async () => {
    const stream = await client.chat.completions.create({
      model: 'lainclaw',
      messages: [{ role: 'user', content: 'Hello' }],
      stream: true,
      stream_options: { include_usage: true },
    });
    const chunks = await Array.fromAsync(stream);
    const text = chunks.map(({ choices }) => choices[0]?.delta.content ?? '').join('');
    expect([text, chunks.at(-2)?.choices[0]?.finish_reason]).toEqual(['Good day.', 'stop']);
    expect(chunks.at(-1)?.usage).toMatchObject({ prompt_tokens: 11, completion_tokens: 3 });
  });

  it.each([false, true])(
    "hands the client's tools to the model and their calls to the client (streamed: %s)",
    async (isStreamed) => {
      replies = [calls({ name: 'get_weather', args: { city: 'Oslo' } })];
      const tools = [{ type: 'function' as const, function: WEATHER }];
      const question = { role: 'user' as const, content: 'What is the weather in Oslo?' };
      const asking = { model: 'lainclaw', messages: [question], tools };
      const message = isStreamed
        ? (await client.chat.completions.stream(asking).finalChatCompletion()).choices[0]?.message
        : (await client.chat.completions.create(asking)).choices[0]?.message;
      const [call] = message?.tool_calls ?? [];
      expect(call).toMatchObject({ type: 'function', function: { name: 'get_weather', arguments: '{"city":"Oslo"}' } });
      expect(asked.at(-1)?.tools.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['get_weather', 'fs_read_file']),
      );
      const answer = await client.chat.completions.create({
        model: 'lainclaw',
        messages: [question, message as never, { role: 'tool', tool_call_id: call?.id ?? '', content: 'Rain' }],
        tools,
      });
      expect(answer.choices[0]?.message.content).toBe('Good day.');
      expect(asked.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'Rain' });
    },
  );

  it('runs our own tools itself, also when the model calls both at once', async () => {
    replies = [
      { text: 'Looking.', ...calls({ name: 'time_now', args: {} }, { name: 'get_weather', args: { city: 'Oslo' } }) },
      calls({ name: 'get_weather', args: { city: 'Oslo' } }),
    ];
    const answer = await client.chat.completions.create({
      model: 'lainclaw',
      messages: [{ role: 'user', content: 'Time and weather?' }],
      tools: [{ type: 'function', function: WEATHER }],
    });
    expect(answer.choices[0]).toMatchObject({
      finish_reason: 'tool_calls',
      message: { content: 'Looking.', tool_calls: [{ function: { name: 'get_weather' } }] },
    });
    const results = asked
      .at(-1)
      ?.messages.filter(({ role }) => role === 'tool')
      .map(({ text }) => text);
    expect(results).toEqual([expect.not.stringContaining('was not run'), expect.stringContaining('was not run')]);
  });

  it('takes pictures as data, and fetches none', async () => {
    const pixel = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
    const look = (url: string) =>
      client.chat.completions.create({
        model: 'lainclaw',
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look' },
              { type: 'image_url', image_url: { url } },
            ],
          },
        ],
      });
    expect((await look(`data:image/png;base64,${pixel}`)).choices[0]?.message.content).toBe('Good day.');
    await expect(look('http://127.0.0.1:1/x.png')).rejects.toMatchObject({
      status: 400,
      type: 'invalid_request_error',
    });
  });
});

describe('responses', () => {
  it('answers, whole and streamed', async () => {
    const whole = await client.responses.create({ model: 'lainclaw', instructions: 'Be brief.', input: 'Hello' });
    expect([whole.output_text, whole.status]).toEqual(['Good day.', 'completed']);
    expect(asked.at(-1)?.system.join('\n')).toContain('Be brief.');
    const stream = client.responses.stream({ model: 'lainclaw', input: [{ role: 'user', content: 'Hello' }] });
    const types: string[] = [];
    let text = '';
    for await (const event of stream) {
      types.push(event.type);
      if (event.type === 'response.output_text.delta') text += event.delta;
    }
    expect([text, (await stream.finalResponse()).output]).toMatchObject(['Good day.', [{ content: [{ text }] }]]);
    expect(types).toEqual(
      expect.arrayContaining([
        'response.created',
        'response.output_item.added',
        'response.content_part.added',
        'response.completed',
      ]),
    );
  });

  it.each([false, true])(
    "hands the client's tools to the model and their calls to the client (streamed: %s)",
    async (isStreamed) => {
      replies = [calls({ name: 'get_weather', args: { city: 'Oslo' } })];
      const tools = [{ type: 'function' as const, strict: null, ...WEATHER }];
      const question = { role: 'user' as const, content: 'The weather in Oslo?' };
      const asking = { model: 'lainclaw', input: [question], tools };
      const first = isStreamed
        ? await client.responses.stream(asking).finalResponse()
        : await client.responses.create(asking);
      const call = first.output.find(({ type }) => type === 'function_call');
      expect(call).toMatchObject({ name: 'get_weather', arguments: '{"city":"Oslo"}' });
      const answer = await client.responses.create({
        model: 'lainclaw',
        input: [
          question,
          call as never,
          { type: 'function_call_output', call_id: (call as { call_id: string }).call_id, output: 'Rain' },
        ],
        tools,
      });
      expect(answer.output_text).toBe('Good day.');
      expect(asked.at(-1)?.messages.at(-1)).toMatchObject({ role: 'tool', text: 'Rain' });
    },
  );

  it('refuses to continue what it did not store', async () => {
    await expect(
      client.responses.create({ model: 'lainclaw', input: 'x', previous_response_id: 'resp-1' }),
    ).rejects.toMatchObject({ status: 400, param: 'previous_response_id' });
  });
});

describe('what is stored', () => {
  it('is nothing either of a turn whose client has left, or whose reader has failed', async () => {
    const folder = join(runtime.environment.home, 'sessions');
    const transcripts = () => (existsSync(folder) ? readdirSync(folder) : []).filter((name) => name.endsWith('.jsonl'));
    const before = transcripts();
    replies = [{ text: 'Wait', fault: { kind: 'hang', afterBytes: 400 } }];
    const leaving = new AbortController();
    const stream = await client.chat.completions.create(
      { model: 'lainclaw', stream: true, messages: [{ role: 'user', content: 'Keep nothing' }] },
      { signal: leaving.signal },
    );
    await eventually(() => expect(transcripts().length).toBe(before.length + 1));
    leaving.abort();
    await stream[Symbol.asyncIterator]()
      .next()
      .catch(() => {});
    await eventually(() => expect(transcripts()).toEqual(before));
    const turn = await startApiTurn(
      context(),
      { model: 'lainclaw', system: '', messages: [{ role: 'user', text: 'Hi' }], tools: [], isStreamed: true },
      { session: undefined, key: 'the SDK', signal: new AbortController().signal },
    );
    await turn.pieces.next();
    await expect(turn.pieces.throw(new Error('the reader failed'))).rejects.toThrow('the reader failed');
    expect(transcripts()).toEqual(before);
  });

  it('is nothing by default', async () => {
    const before = await runtime.sessions.kept();
    await client.chat.completions.create({ model: 'lainclaw', messages: [{ role: 'user', content: 'Keep nothing' }] });
    expect(await runtime.sessions.kept()).toEqual(before);
    expect(
      await runtime.sessions.search({ words: ['nothing'], limit: 5, signal: new AbortController().signal }),
    ).toEqual([]);
  });

  it.each([
    ['a header', {}, { headers: { 'x-lainclaw-session': 'notes' } }, 'api:notes'],
    ['user', { user: 'anna@example.org' }, {}, 'api:anna@example.org'],
  ])('is the conversation, when a session is named by %s', async (_how, body, options, key) => {
    const ask = (content: string) =>
      client.chat.completions.create({ model: 'lainclaw', messages: [{ role: 'user', content }], ...body }, options);
    await ask('My dog is called Rex.');
    await ask('What is it called?');
    // The client sent one message; the conversation before it is ours.
    expect(messagesOf(asked.at(-1))).toEqual([
      ['user', 'My dog is called Rex.'],
      ['assistant', 'Good day.'],
      ['user', 'What is it called?'],
    ]);
    expect((await runtime.sessions.get(key))?.sessionKey).toBe(key);
  });
});

describe('errors', () => {
  const ask = (body: object) => client.chat.completions.create(body as never);

  it('have the shape that the client knows', async () => {
    await expect(
      new OpenAI({ apiKey: 'lk-wrong', baseURL: client.baseURL, maxRetries: 0 }).models.list(),
    ).rejects.toMatchObject({
      status: 401,
      code: 'invalid_api_key',
    });
    await expect(ask({ model: 'lainclaw', messages: [] })).rejects.toMatchObject({ status: 400, param: 'messages' });
    await expect(ask({ model: 'lainclaw', messages: [{ role: 'robot', content: 'x' }] })).rejects.toMatchObject({
      status: 400,
    });
    await expect(ask({ model: 'lainclaw', n: 2, messages: [{ role: 'user', content: 'x' }] })).rejects.toMatchObject({
      param: 'n',
    });
    await expect(
      ask({ model: 'lainclaw', messages: [{ role: 'tool', tool_call_id: 'none', content: 'x' }] }),
    ).rejects.toMatchObject({ status: 400 });
  });

  it('of the model reach the client, also in a stream', async () => {
    const failing: Reply = { fault: { kind: 'status', status: 401 } } as Reply;
    replies = [failing];
    await expect(ask({ model: 'lainclaw', messages: [{ role: 'user', content: 'x' }] })).rejects.toMatchObject({
      status: 502,
    });
    replies = [failing];
    const stream = await client.chat.completions.create({
      model: 'lainclaw',
      stream: true,
      messages: [{ role: 'user', content: 'x' }],
    });
    await expect(Array.fromAsync(stream)).rejects.toThrow();
  });

  it('tell that a key was revoked, at once', async () => {
    const other = await access.createKey('another');
    await access.revokeKey(other.id);
    await expect(
      new OpenAI({ apiKey: other.secret, baseURL: client.baseURL, maxRetries: 0 }).models.list(),
    ).rejects.toMatchObject({ status: 401 });
    expect((await access.keys()).map((key) => key.id)).toContain(id);
  });
});

it('lists the models, with one for whatever the owner uses', async () => {
  const { data } = await client.models.list();
  expect(data[0]).toMatchObject({ id: 'lainclaw', object: 'model' });
  expect(await client.models.retrieve('lainclaw')).toMatchObject({ id: 'lainclaw' });
});

it('the token of the gateway and a cookie open nothing here, and a key nothing else', async () => {
  const bearer = { authorization: `Bearer ${secret}` };
  expect((await send('/api/me', { headers: bearer })).status).toBe(401);
  expect((await send('/v1/models', { headers: { authorization: 'Bearer the-token-of-this-start' } })).status).toBe(401);
});
