// What every adapter must do, for whichever provider. A suite is given a way to make the adapter talk to a
// server that follows a script; an adapter without a server (the stub) is only held to what needs none.
import { afterEach, describe, expect, test } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { collect, continued, requestOf, type ScriptedReply, type Subject } from './adapter-subject.ts';

const ROUND: ScriptedReply = {
  reasoning: 'I should look it up.',
  text: ['Let me ', 'look.'],
  toolCalls: [
    { name: 'weather', args: { city: 'Zürich 🌧' } },
    { name: 'weather', args: { city: 'Oslo "north"\n' } },
  ],
  usage: { input: 120, output: 30 },
};

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** Short, because it is asked for once for many of its bytes. */
const SHORT_ROUND: ScriptedReply = { text: 'Look.', toolCalls: [{ name: 'weather', args: { city: 'Zürich 🌧' } }] };

export interface AdapterSuiteOptions {
  /** At how many bytes from each other an answer is broken off; 1 is every byte, which takes half a minute. */
  cutEvery?: number;
}

export function describeAdapter(
  name: string,
  makeAdapter: () => Promise<Subject>,
  { cutEvery = process.env.LAINCLAW_FUZZ ? 1 : 11 }: AdapterSuiteOptions = {},
): void {
  describe(`the adapter ${name}`, () => {
    const opened: Subject[] = [];
    const make = async (): Promise<Subject> => {
      const subject = await makeAdapter();
      opened.push(subject);
      return subject;
    };
    afterEach(async () => {
      for (const subject of opened.splice(0)) await subject.close();
    });

    describeWithoutServer(make);
    describeWithServer(make, cutEvery);
  });
}

function describeWithoutServer(make: () => Promise<Subject>): void {
  test('says who it is', async () => {
    const { adapter } = await make();
    expect(adapter.provider).toMatch(/^[a-z][a-z-]*$/);
    expect(adapter.route).not.toBe('');
    expect(await adapter.describe({ model: 'some-model' })).toBeTypeOf('object');
  });

  test('ends as cancelled when it was cancelled before it began', async () => {
    const { adapter } = await make();
    const { events } = await collect(adapter, requestOf(), AbortSignal.abort());
    expect(events).toMatchObject([{ type: 'failure', failure: { code: 'cancelled' } }]);
  });
}

type Served = Subject & { server: NonNullable<Subject['server']> };

function describeWithServer(make: () => Promise<Subject>, cutEvery: number): void {
  const served = (run: (subject: Served) => Promise<void>) => async (context: { skip(note: string): void }) => {
    const subject = await make();
    if (!subject.server) return context.skip('it has no server');
    await run(subject as Served);
  };

  test(
    'streams text as it comes, and tells what it cost in tokens',
    served(async ({ adapter, server }) => {
      server.follow([{ text: ['Hello', ', ', 'wörld 🌍'], usage: { input: 21, output: 5 } }]);
      const { events, ending, text } = await collect(adapter, requestOf());
      expect(text).toBe('Hello, wörld 🌍');
      expect(events.filter(({ type }) => type === 'text-delta').length).toBeGreaterThan(1);
      expect(ending).toMatchObject({ type: 'finish', reason: 'stop', usage: { inputTokens: 21, outputTokens: 5 } });
      expect(server.violations).toEqual([]);
    }),
  );

  test(
    'passes on what the model thinks, apart from its answer',
    served(async ({ adapter, server }) => {
      server.follow([{ reasoning: 'I should greet.', text: 'Hello' }]);
      const { events, text } = await collect(adapter, requestOf());
      expect(text).toBe('Hello');
      const thought = events.flatMap((event) => (event.type === 'thinking-delta' ? [event.text] : []));
      expect(thought.join('')).toContain('I should greet.');
    }),
  );

  test(
    'completes rounds with several calls each, and the service accepts what it sends back',
    served(async ({ adapter, server }) => {
      server.follow([ROUND, { toolCalls: [{ name: 'weather', args: { city: 'Rome' } }] }, { text: 'It rains.' }]);
      const first = requestOf();
      const one = await collect(adapter, first);
      expect(one).toMatchObject({ text: 'Let me look.', ending: { type: 'finish', reason: 'tool-calls' } });
      expect(one.calls.map(({ args }) => args)).toEqual([{ city: 'Zürich 🌧' }, { city: 'Oslo "north"\n' }]);
      expect(new Set(one.calls.map(({ id }) => id)).size).toBe(2);
      const second = continued(first, one);
      const two = await collect(adapter, second);
      const three = await collect(adapter, continued(second, two));
      expect(three).toMatchObject({ text: 'It rains.', ending: { type: 'finish', reason: 'stop' } });
      expect(server.violations).toEqual([]);
    }),
  );

  test(
    'sends a history that another provider made, or that was read from disk without its native part',
    served(async ({ adapter, server }) => {
      server.follow([{ text: 'Fine.' }]);
      const history = requestOf(
        { role: 'user', text: 'Hi' },
        {
          role: 'assistant',
          text: 'Looking.',
          toolCalls: [{ id: 'call:1|äöü', name: 'weather', args: { city: 'Bern' } }],
          native: { library: 'other', content: 7 },
        },
        { role: 'tool', callId: 'call:1|äöü', toolName: 'weather', text: '', isError: true },
        { role: 'assistant', text: 'It failed.', toolCalls: [] },
        { role: 'user', text: 'Again?' },
      );
      expect(await collect(adapter, history)).toMatchObject({ text: 'Fine.', ending: { type: 'finish' } });
      expect(server.violations).toEqual([]);
    }),
  );

  test(
    'sends pictures with the words they came with',
    served(async ({ adapter, server }) => {
      server.follow([{ text: 'A dot.' }]);
      const images = [{ mimeType: 'image/png', data: PIXEL }];
      const { ending } = await collect(adapter, requestOf({ role: 'user', text: 'What is this?', images }));
      expect(ending).toMatchObject({ type: 'finish', reason: 'stop' });
      expect(server.violations).toEqual([]);
      expect(server.lastBody()).toContain(PIXEL);
      expect(server.lastBody()).toContain('What is this?');
    }),
  );

  test(
    'sends pictures that a tool returned',
    served(async ({ adapter, server }) => {
      server.follow([{ toolCalls: [{ name: 'weather', args: { city: 'Rome' } }] }, { text: 'A dot.' }]);
      const first = requestOf();
      const { messages, ...rest } = continued(first, await collect(adapter, first));
      const images = [{ mimeType: 'image/png', data: PIXEL }];
      const shown = messages.map((message) => (message.role === 'tool' ? { ...message, images } : message));
      const { ending } = await collect(adapter, { ...rest, messages: shown });
      expect(ending).toMatchObject({ type: 'finish', reason: 'stop' });
      expect(server.violations).toEqual([]);
      expect(server.lastBody()).toContain(PIXEL);
    }),
  );

  test(
    'asks without tools and without system text',
    served(async ({ adapter, server }) => {
      server.follow([{ text: 'Hi' }]);
      const { ending } = await collect(adapter, { ...requestOf(), tools: [], system: [] });
      expect(ending).toMatchObject({ type: 'finish', reason: 'stop' });
      expect(server.violations).toEqual([]);
    }),
  );

  test(
    'tells an answer that was cut at its length limit, and marks its calls as malformed',
    served(async ({ adapter, server }) => {
      server.follow([{ text: 'So', toolCalls: [{ name: 'weather', args: '{"city": "Zü' }], finish: 'length' }]);
      const { ending, calls, text } = await collect(adapter, requestOf());
      expect(ending).toMatchObject({ type: 'finish', reason: 'length' });
      expect(calls).toMatchObject([{ name: 'weather', args: {}, malformed: '{"city": "Zü' }]);
      expect(text).toBe('So');
    }),
  );

  const malformed = [
    '{"city": "Zürich"',
    '{"city": "Zürich",}',
    "{'city': 1}",
    '["Zürich"]',
    'null',
    '"Zürich"',
    '{"city":"a\nb"}',
    'city=Zürich',
  ];
  test.for(malformed)('marks a call with the arguments %s as malformed, and can send it back', (args, context) =>
    served(async ({ adapter, server }) => {
      server.follow([
        {
          text: 'I call.',
          toolCalls: [
            { name: 'weather', args },
            { name: 'weather', args: { city: 'Oslo' } },
          ],
        },
        { text: 'Done.' },
      ]);
      const request = requestOf();
      const answer = await collect(adapter, request);
      expect(answer.calls.map((call) => [call.args, call.malformed])).toEqual([
        [{}, args],
        [{ city: 'Oslo' }, undefined],
      ]);
      await collect(adapter, continued(request, answer));
      expect(server.violations).toEqual([]);
    })(context),
  );

  test(
    'a call without arguments has none',
    served(async ({ adapter, server }) => {
      server.follow([{ toolCalls: [{ name: 'weather', args: '' }] }]);
      expect((await collect(adapter, requestOf())).calls).toMatchObject([{ name: 'weather', args: {} }]);
    }),
  );

  const statuses = [
    { status: 401, code: 'auth' },
    { status: 403, code: 'auth' },
    { status: 429, code: 'rate_limit' },
    { status: 500, code: 'overloaded' },
    { status: 503, code: 'overloaded' },
    { status: 529, code: 'overloaded' },
    { status: 400, code: 'refused' },
    { status: 404, code: 'refused' },
    { status: 302, code: 'refused', headers: { location: 'http://127.0.0.1:1/' } },
  ];
  test.for(statuses)('HTTP $status is the failure $code', ({ status, code, headers }, context) =>
    served(async ({ adapter, server, secrets }) => {
      const body = { error: { message: `You sent ${secrets.join(' and ')}` } };
      server.follow([...'12'].map(() => ({ fault: { kind: 'status', status, headers, body } })));
      const { ending } = await collect(adapter, requestOf());
      expect(ending).toMatchObject({ type: 'failure', failure: { code } });
      for (const secret of secrets) expect(JSON.stringify(ending)).not.toContain(secret);
    })(context),
  );

  test(
    'passes on how long to wait',
    served(async ({ adapter, server }) => {
      server.follow([
        { fault: { kind: 'status', status: 429, headers: { 'retry-after': '7' } } },
        { fault: { kind: 'status', status: 529, headers: { 'retry-after-ms': '1500' } } },
      ]);
      expect((await collect(adapter, requestOf())).ending).toMatchObject({
        failure: { code: 'rate_limit', retryAfterMs: 7000 },
      });
      expect((await collect(adapter, requestOf())).ending).toMatchObject({
        failure: { code: 'overloaded', retryAfterMs: 1500 },
      });
      expect(server.requestCount()).toBe(2);
    }),
  );

  test(
    'tells a conversation that is too long',
    served(async ({ adapter, server }) => {
      server.follow([{ fault: { kind: 'context-length' } }]);
      expect((await collect(adapter, requestOf())).ending).toMatchObject({ failure: { code: 'context_length' } });
    }),
  );

  test(
    'an error inside the stream ends it',
    served(async ({ adapter, server }) => {
      server.follow([{ text: ['One ', 'two ', 'three'], fault: { kind: 'stream-error', at: 4 } }]);
      const { ending } = await collect(adapter, requestOf());
      expect(ending.type === 'failure' && ending.failure.code).toMatch(/^(overloaded|rate_limit)$/);
    }),
  );

  test(
    'a refusal is one',
    served(async ({ adapter, server }) => {
      server.follow([{ text: 'I', finish: 'refused' }]);
      expect((await collect(adapter, requestOf())).ending).toMatchObject({ failure: { code: 'refused' } });
    }),
  );

  test(
    'frames that are not JSON, a page and an empty body are failures of protocol',
    served(async ({ adapter, server }) => {
      server.follow([
        { ...ROUND, fault: { kind: 'malformed-frame', at: 0 } },
        { ...ROUND, fault: { kind: 'malformed-frame', at: 6 } },
        { rawBody: '<!doctype html>\n<title>Sign in</title>\n\n<p>Welcome' },
        { rawBody: '' },
        { rawBody: '{"type":"message","object":"response","error":null,"choices":[{"message":{"content":"Hi"}}]}' },
        { rawBody: 'data: 7\n\ndata: null\n\ndata: []\n\n: ping\n\nevent: ping\n\n' },
      ]);
      for (let index = 0; index < 6; index += 1) {
        expect((await collect(adapter, requestOf())).ending).toMatchObject({ failure: { code: 'protocol' } });
      }
    }),
  );

  test(
    'a stream that arrives byte by byte reads the same',
    served(async ({ adapter, server }) => {
      server.follow([{ ...ROUND, fault: { kind: 'slow-bytes', chunk: 1 } }]);
      const { calls, text } = await collect(adapter, requestOf());
      expect(text).toBe('Let me look.');
      expect(calls.map(({ args }) => args)).toEqual([{ city: 'Zürich 🌧' }, { city: 'Oslo "north"\n' }]);
    }),
  );

  test(
    'a tool round that breaks off anywhere makes no partial call and explains itself',
    served(async ({ adapter, server }) => {
      const endedAt = async (kind: 'cut' | 'end-early', afterBytes: number): Promise<boolean> => {
        server.follow([{ ...SHORT_ROUND, fault: { kind, afterBytes } }]);
        const { ending, calls } = await collect(adapter, requestOf());
        if (ending.type === 'failure') {
          expect(ending.failure.code).toMatch(kind === 'cut' ? /^(network|protocol)$/ : /^protocol$/);
          expect(ending.failure.message).not.toBe('');
          return false;
        }
        expect(calls.map(({ args }) => args)).toEqual([{ city: 'Zürich 🌧' }]);
        return true;
      };
      let wholeInARow = 0;
      for (let afterBytes = 0; wholeInARow < 3; afterBytes += cutEvery) {
        await endedAt('cut', afterBytes);
        wholeInARow = (await endedAt('end-early', afterBytes)) ? wholeInARow + 1 : 0;
      }
    }),
    300_000,
  );

  test(
    'cancelling a silent stream ends it at once and hangs up',
    served(async ({ adapter, server }) => {
      server.follow([{ ...ROUND, fault: { kind: 'hang', afterBytes: 400 } }]);
      const cancel = new AbortController();
      const collecting = collect(adapter, requestOf(), cancel.signal);
      await eventually(() => expect(server.requestCount()).toBe(1));
      cancel.abort();
      const { ending } = await collecting;
      expect(ending).toMatchObject({ type: 'failure', failure: { code: 'cancelled' } });
      await server.clientGone();
    }),
  );

  test(
    'cancelling before the service has answered ends it at once',
    served(async ({ adapter, server }) => {
      server.follow([{ ...ROUND, fault: { kind: 'hang' } }]);
      const cancel = new AbortController();
      const collecting = collect(adapter, requestOf(), cancel.signal);
      await eventually(() => expect(server.requestCount()).toBe(1));
      cancel.abort();
      const { ending } = await collecting;
      expect(ending).toMatchObject({ type: 'failure', failure: { code: 'cancelled' } });
      await server.clientGone();
    }),
  );

  test(
    'a reader that stops reading hangs up',
    served(async ({ adapter, server }) => {
      server.follow([{ text: Array(400).fill('word '), fault: { kind: 'hang', afterBytes: 20_000 } }]);
      for await (const event of adapter.stream(requestOf(), new AbortController().signal)) {
        if (event.type === 'text-delta') break;
      }
      await server.clientGone();
    }),
  );

  test(
    'proves that it lives while the model thinks',
    served(async ({ adapter, server }) => {
      server.follow([ROUND]);
      let signs = 0;
      await collect(adapter, {
        ...requestOf(),
        onActivity: () => {
          signs += 1;
        },
      });
      expect(signs).toBeGreaterThan(0);
    }),
  );
}
