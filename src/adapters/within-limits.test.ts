import { afterEach, describe, expect, test } from 'vitest';
import { collect, requestOf } from '../../test/conformance/adapter-subject.ts';
import { type ModelServer, startModelServer } from '../../test/fakes/model-server/model-server.ts';
import { memoryOwnerFiles } from '../../test/support/memory-owner-files.ts';
import type { Adapter, ModelEvent, ModelRequest } from './adapter.ts';
import { createModelLimits } from './model-limits.ts';
import { createProviderAdapters } from './provider-adapters.ts';

const DAY_MS = 24 * 60 * 60 * 1000;
let server: ModelServer;
afterEach(() => server.close());

interface Sent {
  tools?: unknown[];
  reasoning_effort?: string;
  messages: { role: string; content: unknown; tool_calls?: unknown }[];
}

/** A server that answers 400 with this message as long as the request holds what it refuses. */
async function refusing(message: string, refuses: (body: Sent) => boolean, status = 400): Promise<void> {
  server = await startModelServer({
    anonymous: true,
    script: ({ raw }) =>
      refuses(raw as unknown as Sent)
        ? { fault: { kind: 'status', status, body: { error: { message } } } }
        : { text: 'Hi' },
  });
}

function open(files = memoryOwnerFiles(), now = Date.now): Adapter {
  const adapters = createProviderAdapters({
    env: { LAINCLAW_OLLAMA_BASE_URL: `${server.url}/v1` },
    credentials: {
      credential: async () => ({ ok: true, kind: 'none' }),
      profileFor: async () => undefined,
      baseUrlFor: async () => undefined,
    },
    limits: createModelLimits({ files, now }),
    now,
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
  const adapter = adapters.get('ollama');
  if (!adapter) throw new Error('no adapter');
  return adapter;
}

const asked = (more: Partial<ModelRequest> = {}): ModelRequest => ({ ...requestOf(), model: 'small', ...more });
const notices = (events: ModelEvent[]) => events.flatMap((event) => (event.type === 'notice' ? [event.text] : []));
const sent = (): Sent[] => server.requests.map(({ body }) => body as Sent);

const NO_TOOLS = [
  [400, 'registry.ollama.ai/library/gemma:2b does not support tools'],
  [400, '"auto" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set'],
  [500, 'tools param requires --jinja flag'],
  [404, 'No endpoints found that support tool use. To learn more about provider routing, visit the docs'],
  [400, '`tool calling` is not supported with this model'],
  [400, 'Function calling is not enabled for models/gemma-3-27b-it'],
  [400, 'This model does not support function calling.'],
] as const;

const PICTURE = { mimeType: 'image/png', data: 'iVBORw0KGgo=' };
const withPicture = (): Partial<ModelRequest> => ({
  tools: [],
  messages: [{ role: 'user', text: 'what is it?', images: [PICTURE] }],
});

const NO_PICTURES = [
  [400, 'this model does not support image input (ref: b8bd630e)'],
  [500, 'image input is not supported by this server'],
  [500, 'image input is not supported - hint: if this is unexpected, you may need to provide the mmproj'],
  [400, 'Invalid content type. image_url is only supported by certain models.'],
  [400, 'Failed to deserialize: messages[0]: unknown variant `image_url`, expected `text`'],
  [500, 'Failed to parse messages: Unsupported content part type: "image_url"; messages = []'],
  [404, 'No endpoints found that support image input'],
  [400, 'Qwen/Qwen3-8B is not a multimodal model'],
  [400, 'Model does not support images. Please use a model that does.'],
  [400, 'At most 0 image(s) may be provided in one prompt.'],
] as const;

describe('a model that cannot see', () => {
  const holdsPicture = ({ messages }: Sent): boolean => JSON.stringify(messages).includes(PICTURE.data);

  test.for(NO_PICTURES)('is asked again without pictures, with one line: %s %s', async ([status, message]) => {
    await refusing(message, holdsPicture, status);
    const { events, text } = await collect(open(), asked(withPicture()));
    expect(text).toBe('Hi');
    expect(notices(events)).toEqual(['small of ollama cannot see pictures: it is asked without them']);
    expect(sent().map(holdsPicture)).toEqual([true, false]);
    expect(JSON.stringify(sent()[1])).toContain('[1 picture is not shown: this model cannot see]');
  });

  test('is remembered, and nothing is said where there is no picture', async () => {
    await refusing('this model does not support image input', holdsPicture);
    const files = memoryOwnerFiles();
    await collect(open(files), asked(withPicture()));
    const next = open(files);
    expect(notices((await collect(next, asked({ tools: [] }))).events)).toEqual([]);
    expect(notices((await collect(next, asked(withPicture()))).events)).toHaveLength(1);
    expect(sent().map(holdsPicture)).toEqual([true, false, false, false]);
  });

  test('a picture that a tool has made is left out too', async () => {
    await refusing('this model does not support image input', holdsPicture);
    const messages: ModelRequest['messages'] = [
      { role: 'user', text: 'draw' },
      { role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'draw', args: {} }] },
      { role: 'tool', callId: 'c1', toolName: 'draw', text: '', images: [PICTURE, PICTURE], isError: false },
    ];
    await collect(open(), asked({ messages }));
    expect(JSON.stringify(sent()[1])).toContain('[2 pictures are not shown: this model cannot see]');
  });

  test('another refusal of a picture is not taken for that', async () => {
    await refusing('Invalid image: the picture is larger than 5 MB', holdsPicture);
    const { ending } = await collect(open(), asked(withPicture()));
    expect(ending).toMatchObject({ type: 'failure', failure: { code: 'refused' } });
    expect(server.requests).toHaveLength(1);
  });
});

describe('a model without tools', () => {
  test.for(NO_TOOLS)('is asked again without them, with one line: %s %s', async ([status, message]) => {
    await refusing(message, ({ tools }) => tools !== undefined, status);
    const { events, text } = await collect(open(), asked());
    expect(text).toBe('Hi');
    expect(notices(events)).toEqual(['small of ollama cannot call tools: it is asked without them']);
    expect(sent().map(({ tools }) => tools !== undefined)).toEqual([true, false]);
  });

  test('is remembered, also by the next process, for a month', async () => {
    await refusing('small does not support tools', ({ tools }) => tools !== undefined);
    const files = memoryOwnerFiles();
    const start = Date.now();
    const adapter = open(files);
    await collect(adapter, asked());
    const second = await collect(adapter, asked());
    expect(notices(second.events)).toEqual([]);
    expect(server.requests).toHaveLength(3);
    const next = await collect(open(files), asked());
    expect(notices(next.events)).toHaveLength(1);
    expect(server.requests).toHaveLength(4);
    expect(files.texts.get('model-limits.json')).toContain('small');
    await collect(
      open(files, () => start + 31 * DAY_MS),
      asked(),
    );
    expect(server.requests).toHaveLength(6);
  });

  test('another model of the same server is offered them', async () => {
    await refusing(
      'small does not support tools',
      (body) => body.tools !== undefined && JSON.stringify(body).includes('"small"'),
    );
    const adapter = open();
    await collect(adapter, asked());
    expect(notices((await collect(adapter, asked({ model: 'large' }))).events)).toEqual([]);
  });

  test('gets earlier calls as text', async () => {
    await refusing('small does not support tools', ({ tools }) => tools !== undefined);
    const { ending } = await collect(
      open(),
      asked({
        messages: [
          { role: 'user', text: 'weather?' },
          { role: 'assistant', text: '', toolCalls: [{ id: 'c1', name: 'weather', args: { city: 'Oslo' } }] },
          { role: 'tool', callId: 'c1', toolName: 'weather', text: 'rain', isError: false },
        ],
      }),
    );
    expect(ending.type).toBe('finish');
    const { messages } = sent().at(-1) as Sent;
    expect(messages.some(({ role, tool_calls: calls }) => role === 'tool' || calls)).toBe(false);
    expect(JSON.stringify(messages)).toMatch(/called weather.*Oslo[\s\S]*result of weather.*rain/);
  });

  test('a file that cannot be read or is of a newer version costs a request, no more', async () => {
    await refusing('small does not support tools', ({ tools }) => tools !== undefined);
    for (const text of ['{', '{"version":2,"limits":{}}']) {
      const files = memoryOwnerFiles({ 'model-limits.json': text });
      expect((await collect(open(files), asked())).ending.type).toBe('finish');
      expect(files.texts.get('model-limits.json') === text).toBe(text !== '{');
    }
  });
});

describe('effort', () => {
  test('is sent to a model that is not known when a person names one', async () => {
    await refusing('', () => false);
    await collect(open(), asked({ effort: 'high' }));
    await collect(open(), asked());
    expect(sent().map(({ reasoning_effort: effort }) => effort)).toEqual(['high', undefined]);
  });

  test('that is refused is left out, remembered and reported', async () => {
    await refusing('"small" does not support thinking', (body) => body.reasoning_effort !== undefined);
    const adapter = open();
    const { events, text } = await collect(adapter, asked({ effort: 'low' }));
    expect(text).toBe('Hi');
    expect(notices(events)).toEqual(['small of ollama has no effort setting: it is asked without one']);
    await collect(adapter, asked({ effort: 'low' }));
    expect(server.requests).toHaveLength(3);
  });

  test('an ordinary refusal is not asked again', async () => {
    await refusing('temperature is out of range', () => true);
    const { ending } = await collect(open(), asked({ effort: 'low' }));
    expect(ending).toMatchObject({ type: 'failure', failure: { code: 'refused' } });
    expect(server.requests).toHaveLength(1);
  });
});
