// What servers really send, byte for byte: the corners in which the library shows less than there was.
import { afterEach, describe, expect, test } from 'vitest';
import { type Collected, collect, continued, requestOf } from '../../../test/conformance/adapter-subject.ts';
import { type ModelServer, startModelServer } from '../../../test/fakes/model-server/model-server.ts';
import { memoryOwnerFiles } from '../../../test/support/memory-owner-files.ts';
import { createModelLimits } from '../model-limits.ts';
import { createProviderAdapters } from '../provider-adapters.ts';

const SECRET = 'key-0123456789abcdef';
let server: ModelServer;
afterEach(() => server.close());

type Reply = Parameters<ModelServer['setScript']>[0] & unknown[];

async function ask(provider: string, script: Reply, request = requestOf()): Promise<Collected> {
  server ??= await startModelServer({ script, anonymous: true });
  const providers = createProviderAdapters({
    credentials: {
      credential: async () => ({ ok: true, kind: 'api-key', secret: SECRET, accountId: 'account-1' }),
      profileFor: async () => undefined,
      baseUrlFor: async () => undefined,
    },
    env: {},
    baseUrls: { [provider]: server.url },
    models: { 'openai-compatible': 'small' },
    now: Date.now,
    limits: createModelLimits({ files: memoryOwnerFiles(), now: Date.now }),
    retryPolicy: {
      idleMs: 60_000,
      totalMs: 150_000,
      retries: 0,
      firstWaitMs: 1,
      longestWaitMs: 1,
      retryAfterCapMs: 1e9,
      longestAnswer: 1_000_000,
    },
  });
  const adapter = providers.get(provider);
  if (!adapter) throw new Error('no adapter');
  return collect(adapter, request);
}

async function once(provider: string, ...script: Reply): Promise<Collected> {
  server = await startModelServer({ script, anonymous: true });
  return ask(provider, script);
}

const sse = (...events: object[]): string => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
const chunk = (delta: object, finish: string | null = null): object => ({
  id: 'x',
  object: 'chat.completion.chunk',
  model: 'small',
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const toolCall = (index: number, args: string, id?: string): object => ({
  tool_calls: [
    { index, ...(id === undefined ? {} : { id }), type: 'function', function: { name: 'weather', arguments: args } },
  ],
});

describe('Chat Completions', () => {
  test('calls without an id, or with one twice, get ids of their own', async () => {
    const body = sse(
      chunk(toolCall(0, '{"city":"A"}')),
      chunk(toolCall(1, '{"city":"B"}', '')),
      chunk(toolCall(2, '{"city":"C"}', 'same')),
      chunk({ tool_calls: [{ index: 3, id: 'other', function: { name: 'weather', arguments: '{"city":"D"}' } }] }),
      chunk({}, 'tool_calls'),
    );
    const { calls } = await once('openai-compatible', { rawBody: body });
    expect(calls.map(({ args }) => args.city)).toEqual(['A', 'B', 'C', 'D']);
    expect(new Set(calls.map(({ id }) => id)).size).toBe(4);
    expect(calls.every(({ id }) => id !== '')).toBe(true);
  });

  test('a server that counts its calls from one in every round does not mix up rounds', async () => {
    const body = sse(chunk(toolCall(0, '{"city":"A"}', 'call_1')), chunk({}, 'tool_calls'));
    const request = requestOf();
    const one = await once('openai-compatible', { rawBody: body }, { rawBody: body });
    const two = await ask('openai-compatible', [], continued(request, one));
    expect(one.calls[0]?.id).toBe('call_1');
    expect(two.calls[0]?.id).not.toBe('call_1');
  });

  test('carriage returns, comments, a missing last blank line and a finish of "stop" with calls are understood', async () => {
    const body = `: hello\r\n\r\n${sse(chunk(toolCall(0, '{}', 'c'))).replaceAll('\n', '\r\n')}retry: 3\r\n\r\n${sse(chunk({}, 'stop')).trim()}`;
    const { calls, ending } = await once('openai-compatible', { rawBody: body });
    expect(calls).toMatchObject([{ id: 'c', args: {} }]);
    expect(ending).toMatchObject({ type: 'finish', reason: 'tool-calls' });
  });

  test('thinking is not shown, and goes back to the server with its call', async () => {
    const body = sse(
      chunk({ reasoning_content: 'Hmm.' }),
      chunk(toolCall(0, '{"city":"A"}', 'c')),
      chunk({}, 'tool_calls'),
    );
    const one = await once('openai-compatible', { rawBody: body }, { text: 'Done.' });
    expect(one.text).toBe('');
    await ask('openai-compatible', [], continued(requestOf(), one));
    expect(JSON.stringify(server.requests[1]?.body)).toContain('"reasoning_content":"Hmm."');
  });

  test('an error with status 200 is an error', async () => {
    const { ending } = await once('openai-compatible', {
      rawBody: '{"error":{"message":"model requires more system memory","type":"api_error"}}',
    });
    expect(ending).toMatchObject({
      failure: { code: 'overloaded', message: expect.stringContaining('more system memory') },
    });
  });

  test('content that was filtered is a refusal', async () => {
    const { ending } = await once('openai-compatible', {
      rawBody: sse(chunk({ content: 'I' }), chunk({}, 'content_filter')),
    });
    expect(ending).toMatchObject({ failure: { code: 'refused' } });
  });

  test('arguments that come in very many pieces take no longer than they must', async () => {
    const city = 'a line of text\n'.repeat(16_000);
    const pieces = JSON.stringify({ city }).match(/[\s\S]{1,6}/g) ?? [];
    const parts = pieces.map((piece) => chunk({ tool_calls: [{ index: 0, function: { arguments: piece } }] }));
    const before = process.cpuUsage();
    const { calls } = await once('openai-compatible', {
      rawBody: sse(chunk(toolCall(0, '', 'c')), ...parts, chunk({}, 'tool_calls')),
    });
    expect(calls).toEqual([{ id: 'c', name: 'weather', args: { city } }]);
    // Of the processor, not of the clock: others may be using the machine.
    expect(process.cpuUsage(before).user).toBeLessThan(10_000_000);
  });

  test('a wall of text without a frame is given up on', async () => {
    const { ending } = await once('openai-compatible', { rawBody: 'data: '.padEnd(20 * 1024 * 1024, 'x') });
    expect(ending).toMatchObject({ failure: { code: 'protocol' } });
  });
});

describe('Responses', () => {
  const item = (args: string): object => ({
    type: 'function_call',
    id: 'fc_1',
    call_id: 'call_1',
    name: 'weather',
    arguments: args,
    status: 'completed',
  });
  const completed = {
    type: 'response.completed',
    response: {
      id: 'r',
      status: 'completed',
      output: [],
      usage: { input_tokens: 3, output_tokens: 2, total_tokens: 5 },
    },
  };
  const whole = (args: string): string =>
    sse({ type: 'response.output_item.done', output_index: 0, item: item(args) }, completed);

  test.for(['openai', 'openai-codex'])(
    '%s: arguments that come only with the finished call are read as strictly as others',
    async (provider) => {
      const good = await once(
        provider,
        { rawBody: whole('{"city":"A"}') },
        { rawBody: whole('{"city":"A') },
        { rawBody: whole('{"ci') },
      );
      expect(good.calls).toMatchObject([{ args: { city: 'A' } }]);
      for (const raw of ['{"city":"A', '{"ci']) {
        const broken = await ask(provider, []);
        expect(broken.calls).toMatchObject([{ args: {}, malformed: raw }]);
      }
    },
  );

  test('of fragments and a finished call that differ, the finished call counts', async () => {
    const { calls } = await once('openai', {
      rawBody: sse(
        { type: 'response.output_item.added', output_index: 0, item: item('') },
        { type: 'response.function_call_arguments.delta', output_index: 0, delta: '{"city":"A"}' },
        { type: 'response.output_item.done', output_index: 0, item: item('{"city":"A"') },
        completed,
      ),
    });
    expect(calls).toMatchObject([{ args: {}, malformed: '{"city":"A"' }]);
  });

  test('separate texts are kept apart', async () => {
    const message = (index: number, text: string): object => ({
      type: 'response.output_item.done',
      output_index: index,
      item: {
        type: 'message',
        id: `msg_${index}`,
        role: 'assistant',
        status: 'completed',
        content: [{ type: 'output_text', text, annotations: [] }],
      },
    });
    const { text, ending } = await once('openai', {
      rawBody: sse(message(0, 'First I look.'), message(1, 'It rains.'), completed),
    });
    expect(text).toBe('First I look.\n\nIt rains.');
    expect(ending).toMatchObject({ native: { content: [{}, {}] } });
  });
});

test('what one provider gave is not sent to another', async () => {
  const thinking = {
    text: 'Let me look.',
    reasoning: 'SECRET THOUGHTS',
    toolCalls: [{ name: 'weather', args: { city: 'A' } }],
  };
  const request = requestOf();
  const one = await once('openai', thinking, { text: 'Fine.' });
  await ask('anthropic', [], continued(request, one));
  expect(JSON.stringify(server.requests[0]?.body)).not.toContain('SECRET THOUGHTS');
  expect(JSON.stringify(server.requests[1]?.body)).not.toContain('SECRET THOUGHTS');
  expect(JSON.stringify(one.ending)).toContain('SECRET THOUGHTS');
});
