import { getEventListeners } from 'node:events';
import { afterEach, describe, expect, test } from 'vitest';
import { collect, requestOf } from '../../test/conformance/adapter-subject.ts';
import { type ModelServer, startModelServer } from '../../test/fakes/model-server/model-server.ts';
import { memoryOwnerFiles } from '../../test/support/memory-owner-files.ts';
import type { Adapter, ModelEvent, ModelFailureCode, ModelRequest } from './adapter.ts';
import { createModelLimits } from './model-limits.ts';
import { createProviderAdapters } from './provider-adapters.ts';
import { DEFAULT_RETRY_POLICY, type RetryPolicy, type SharedWaits, withRetries } from './robust.ts';

const POLICY: RetryPolicy = {
  ...DEFAULT_RETRY_POLICY,
  idleMs: 50,
  totalMs: 5000,
  retries: 3,
  firstWaitMs: 100,
  longestWaitMs: 300,
};
const CALL: ModelEvent = { type: 'tool-call', call: { id: 'c1', name: 'weather', args: { city: 'Bern' } } };
const text = (value: string): ModelEvent => ({ type: 'text-delta', text: value });
const FINISH: ModelEvent = { type: 'finish', reason: 'stop' };
const failure = (code: ModelFailureCode, retryAfterMs?: number): ModelEvent => ({
  type: 'failure',
  failure: { code, message: `it was ${code}.`, ...(retryAfterMs === undefined ? {} : { retryAfterMs }) },
});

type Attempt = (request: ModelRequest, signal: AbortSignal) => AsyncIterable<ModelEvent>;
const says = (...events: ModelEvent[]): Attempt =>
  async function* () {
    yield* events;
  };
const goesSilent = (...events: ModelEvent[]): Attempt =>
  async function* () {
    yield* events;
    await new Promise(() => {});
  };

interface Bench {
  adapter: Adapter;
  waits: number[];
  signals: AbortSignal[];
}

/** Each request is answered by the next attempt. Waiting takes no time, and is written down. */
function bench(attempts: Attempt[], policy: Partial<RetryPolicy> = {}, shared?: SharedWaits): Bench {
  const waits: number[] = [];
  const signals: AbortSignal[] = [];
  let now = 0;
  const inner: Adapter = {
    provider: 'scripted',
    route: 'scripted',
    callsTools: true,
    describe: async () => ({ model: 'm' }),
    stream(request, signal) {
      signals.push(signal);
      const attempt = attempts[signals.length - 1];
      if (!attempt) throw new Error('asked too often');
      return attempt(request, signal);
    },
  };
  const adapter = withRetries(
    inner,
    { ...POLICY, ...policy },
    {
      now: () => now,
      random: () => 1,
      sleep: async (ms, signal) => {
        signal.throwIfAborted();
        waits.push(ms);
        now += ms;
      },
    },
    shared,
  );
  return { adapter, waits, signals };
}

test('passes an answer on as it is', async () => {
  const { adapter, signals } = bench([says(text('a'), text('b'), CALL, { ...FINISH, native: 7 } as ModelEvent)]);
  const { events } = await collect(adapter, requestOf());
  expect(events).toEqual([text('a'), text('b'), CALL, { ...FINISH, native: 7 }]);
  expect(await adapter.describe({})).toEqual({ model: 'm' });
  expect(signals).toHaveLength(1);
});

test.for(['rate_limit', 'overloaded', 'network', 'protocol'] as const)(
  'asks again after %s, having voided what was shown',
  async (code) => {
    const { adapter, waits } = bench([says(text('half'), failure(code)), says(text('whole'), FINISH)]);
    const { events } = await collect(adapter, requestOf());
    expect(events).toEqual([
      text('half'),
      { type: 'restart', failure: { code, message: `it was ${code}.` }, waitMs: 100 },
      text('whole'),
      FINISH,
    ]);
    expect(waits).toEqual([100]);
  },
);

test.for(['auth', 'context_length', 'refused', 'cancelled'] as const)('never asks again after %s', async (code) => {
  const { adapter, waits } = bench([says(failure(code))]);
  expect((await collect(adapter, requestOf())).events).toEqual([failure(code)]);
  expect(waits).toEqual([]);
});

test('waits longer each time, up to a limit, and gives up saying how often it asked', async () => {
  const { adapter, waits } = bench(Array(4).fill(says(failure('overloaded'))));
  const { ending } = await collect(adapter, requestOf());
  expect(waits).toEqual([100, 200, 300]);
  expect(ending).toMatchObject({ failure: { code: 'overloaded', message: 'it was overloaded. (asked 4 times)' } });
});

test('waits as long as the service says, unless that is too long', async () => {
  const { adapter, waits } = bench([says(failure('rate_limit', 2000)), says(FINISH)]);
  await collect(adapter, requestOf());
  expect(waits).toEqual([2000]);

  const impatient = bench([says(failure('rate_limit', 90_000))]);
  const { ending } = await collect(impatient.adapter, requestOf());
  expect(impatient.waits).toEqual([]);
  expect(ending).toMatchObject({
    failure: { code: 'rate_limit', message: expect.stringContaining('90 s'), retryAfterMs: 90_000 },
  });
});

test('a service that told another gateway to wait is not asked before, and no attempt is spent on that', async () => {
  const left = [900, 0, 0];
  const held: number[] = [];
  const shared: SharedWaits = {
    leftMs: async () => left.shift() ?? 0,
    hold: async (_request, ms) => {
      held.push(ms);
    },
  };
  const { adapter, waits, signals } = bench([says(failure('rate_limit', 2_000)), says(FINISH)], { retries: 1 }, shared);
  expect((await collect(adapter, requestOf())).ending).toMatchObject({ type: 'finish' });
  expect([waits, held, signals.length]).toEqual([[900, 2_000], [2_000], 2]);

  const impatient = bench([], {}, { ...shared, leftMs: async () => 90_000 });
  const { ending } = await collect(impatient.adapter, requestOf());
  expect(ending).toMatchObject({ failure: { code: 'rate_limit', message: expect.stringContaining('90 s') } });
  expect([impatient.waits, impatient.signals]).toEqual([[], []]);
});

test('does not begin a wait it has no time for', async () => {
  const { adapter, waits } = bench([says(failure('overloaded')), says(failure('overloaded'))], { totalMs: 250 });
  expect((await collect(adapter, requestOf())).ending).toMatchObject({ failure: { code: 'overloaded' } });
  expect(waits).toEqual([100]);
});

test('calls of an attempt that fails are never shown', async () => {
  const { adapter } = bench([says(text('x'), CALL, failure('network')), says(CALL, failure('auth'))]);
  const { calls, ending } = await collect(adapter, requestOf());
  expect(calls).toEqual([]);
  expect(ending).toMatchObject({ failure: { code: 'auth' } });
});

test('what failed attempts cost is counted', async () => {
  const paid = (event: ModelEvent, costUsd?: number): ModelEvent =>
    ({ ...event, usage: { inputTokens: 10, outputTokens: 2, ...(costUsd ? { costUsd } : {}) } }) as ModelEvent;
  const { adapter } = bench([says(paid(failure('network'), 0.5)), says(failure('network')), says(paid(FINISH, 0.25))]);
  expect((await collect(adapter, requestOf())).ending).toMatchObject({
    usage: { inputTokens: 20, outputTokens: 4, costUsd: 0.75 },
  });
});

test('silence is a failure of the network, and the silent stream is hung up on', async () => {
  const { adapter, signals } = bench([goesSilent(text('half')), goesSilent(), says(text('whole'), FINISH)]);
  const { events, text: shown } = await collect(adapter, requestOf());
  expect(shown).toBe('whole');
  expect(events.filter(({ type }) => type === 'restart')).toMatchObject([
    { failure: { code: 'network' } },
    { failure: { code: 'network' } },
  ]);
  expect(signals.map(({ aborted }) => aborted)).toEqual([true, true, true]);
});

test('a model that thinks without a word is not silent', async () => {
  const thinks: Attempt = async function* ({ onActivity }) {
    for (let step = 0; step < 8; step += 1) {
      await new Promise((resolve) => setTimeout(resolve, 100));
      onActivity?.();
    }
    yield FINISH;
  };
  let signs = 0;
  // Shorter than all steps together, and much longer than one.
  const { adapter, signals } = bench([thinks], { idleMs: 600 });
  const { ending } = await collect(adapter, {
    ...requestOf(),
    onActivity: () => {
      signs += 1;
    },
  });
  expect(ending).toEqual(FINISH);
  expect(signals).toHaveLength(1);
  expect(signs).toBe(8);
});

test('an answer that never ends is ended', async () => {
  const babbles: Attempt = async function* () {
    for (;;) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      yield text('bla ');
    }
  };
  const { adapter } = bench([babbles, babbles, babbles, babbles], { idleMs: 10_000, totalMs: 60, firstWaitMs: 100 });
  const { ending } = await collect(adapter, requestOf());
  expect(ending).toMatchObject({
    failure: { code: 'network', message: expect.stringContaining('no complete answer') },
  });
});

test('an adapter that throws, or ends without an ending, does no harm', async () => {
  const { adapter } = bench([
    () => {
      throw new Error('sk-secret-in-message');
    },
    async function* () {
      yield text('x');
      throw new Error('sk-secret-in-message');
    },
    says(text('x')),
    says(),
  ]);
  const { events, ending } = await collect(adapter, requestOf());
  expect(ending).toMatchObject({ failure: { code: 'protocol' } });
  expect(JSON.stringify(events)).not.toContain('sk-secret');
});

describe('cancelling', () => {
  test('ends a silent stream at once', async () => {
    const { adapter, signals } = bench([goesSilent(text('half'))], { idleMs: 10_000 });
    const controller = new AbortController();
    const events: ModelEvent[] = [];
    for await (const event of adapter.stream(requestOf(), controller.signal)) {
      events.push(event);
      controller.abort();
    }
    expect(events).toMatchObject([text('half'), { failure: { code: 'cancelled' } }]);
    expect(signals[0]?.aborted).toBe(true);
  });

  test('ends a wait at once', async () => {
    const controller = new AbortController();
    const { adapter } = bench([says(failure('network'))]);
    const events: ModelEvent[] = [];
    for await (const event of adapter.stream(requestOf(), controller.signal)) {
      events.push(event);
      if (event.type === 'restart') controller.abort();
    }
    expect(events.at(-1)).toMatchObject({ failure: { code: 'cancelled' } });
  });

  test('leaves nothing behind on a signal that lives on', async () => {
    const { signal } = new AbortController();
    const { adapter } = bench(Array(50).fill(says(text('a'), FINISH)));
    for (let turn = 0; turn < 50; turn += 1) await collect(adapter, requestOf(), signal);
    expect(getEventListeners(signal, 'abort')).toHaveLength(0);
  });

  test('a reader that stops reading hangs up', async () => {
    const { adapter, signals } = bench([goesSilent(text('a'))]);
    for await (const _ of adapter.stream(requestOf(), new AbortController().signal)) break;
    expect(signals[0]?.aborted).toBe(true);
  });
});

describe('against a server', () => {
  let server: ModelServer;
  afterEach(() => server.close());

  test('limits, failures, cuts and silence are overcome, and the calls are made once', async () => {
    server = await startModelServer({
      script: [
        { fault: { kind: 'status', status: 429, headers: { 'retry-after-ms': '20' } } },
        { fault: { kind: 'status', status: 529 } },
        {
          text: 'half',
          toolCalls: [{ name: 'weather', args: { city: 'Oslo' } }],
          fault: { kind: 'cut', afterBytes: 900 },
        },
        { text: 'half', fault: { kind: 'hang', afterBytes: 300 } },
        { text: 'whole', toolCalls: [{ name: 'weather', args: { city: 'Oslo' } }] },
      ],
    });
    // Silent for longer than a busy machine is between two chunks.
    const retryPolicy = { ...POLICY, retries: 4, firstWaitMs: 5, idleMs: 8000, totalMs: 120_000 };
    const providers = createProviderAdapters({
      credentials: {
        credential: async () => ({ ok: true, kind: 'api-key', secret: 'key' }),
        profileFor: async () => undefined,
        baseUrlFor: async () => undefined,
      },
      env: { LAINCLAW_ANTHROPIC_BASE_URL: server.url },
      now: Date.now,
      limits: createModelLimits({ files: memoryOwnerFiles(), now: Date.now }),
      retryPolicy,
    });
    const adapter = providers.get('anthropic');
    if (!adapter) throw new Error('no adapter');
    const { events, calls, text: shown } = await collect(adapter, requestOf());
    const restarts = events.flatMap((event) => (event.type === 'restart' ? [event.failure.code] : []));
    expect(restarts).toEqual(['rate_limit', 'overloaded', 'network', 'network']);
    expect(shown).toBe('whole');
    expect(calls).toMatchObject([{ args: { city: 'Oslo' } }]);
    expect(server.requests).toHaveLength(5);
  });
});
