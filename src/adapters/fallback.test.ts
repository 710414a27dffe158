import { expect, test } from 'vitest';
import { collect, requestOf } from '../../test/conformance/adapter-subject.ts';
import type { Adapter, ModelEvent, ModelFailureCode, ModelRequest } from './adapter.ts';
import { withFallbacks } from './fallback.ts';

interface Asked {
  provider: string;
  model?: string;
  profileId?: string;
}

function scripted(provider: string, asked: Asked[], ...events: ModelEvent[]): Adapter {
  return {
    provider,
    route: `route-${provider}`,
    callsTools: true,
    describe: async ({ model, profileId }) => ({ model: model ?? `${provider}-default`, profileId }),
    async *stream({ model, profileId }: ModelRequest) {
      asked.push({ provider, model, profileId });
      yield* events;
    },
  };
}

const text = (value: string): ModelEvent => ({ type: 'text-delta', text: value });
const fails = (code: ModelFailureCode): ModelEvent => ({
  type: 'failure',
  failure: { code, message: `${code}!` },
  usage: { inputTokens: 1, outputTokens: 1 },
});
const CALL: ModelEvent = { type: 'tool-call', call: { id: 'c', name: 'weather', args: {} } };
const FINISH: ModelEvent = { type: 'finish', reason: 'stop', usage: { inputTokens: 5, outputTokens: 5 } };

test('the first that works answers, under its own name and model', async () => {
  const asked: Asked[] = [];
  const chain = withFallbacks([
    { adapter: scripted('a', asked, text('x'), FINISH), model: 'm1' },
    { adapter: scripted('b', asked, FINISH) },
  ]);
  expect((await collect(chain, requestOf())).events).toEqual([text('x'), FINISH]);
  expect(asked).toEqual([{ provider: 'a', model: 'm1', profileId: undefined }]);
  expect(chain).toMatchObject({ provider: 'a', route: 'route-a', callsTools: true });
  expect(await chain.describe({})).toMatchObject({ model: 'm1' });
});

test('the others follow in order, asked for their own model, and the one that answers is named', async () => {
  const asked: Asked[] = [];
  const chain = withFallbacks([
    { adapter: scripted('a', asked, text('half'), CALL, fails('overloaded')), model: 'm1' },
    { adapter: scripted('b', asked, fails('auth')), model: 'm2' },
    { adapter: scripted('c', asked, text('whole'), CALL, FINISH), profileId: 'work' },
    { adapter: scripted('d', asked, FINISH) },
  ]);
  const { events, text: shown, calls } = await collect(chain, { ...requestOf(), model: 'wanted', profileId: 'mine' });
  expect(asked).toEqual([
    { provider: 'a', model: 'wanted', profileId: 'mine' },
    { provider: 'b', model: 'm2', profileId: undefined },
    { provider: 'c', model: undefined, profileId: 'work' },
  ]);
  expect(shown).toBe('whole');
  expect(calls).toHaveLength(1);
  expect(events.filter(({ type }) => type === 'restart')).toMatchObject([
    { failure: { code: 'overloaded' } },
    { failure: { code: 'auth' } },
  ]);
  expect(events.at(-1)).toEqual({
    type: 'finish',
    reason: 'stop',
    usage: { inputTokens: 7, outputTokens: 7 },
    answeredBy: { provider: 'c', route: 'route-c', model: 'c-default', profileId: 'work' },
  });
});

test('when all fail, each is named', async () => {
  const asked: Asked[] = [];
  const chain = withFallbacks([
    { adapter: scripted('a', asked, fails('rate_limit')), model: 'm1' },
    { adapter: scripted('b', asked, text('x')), model: 'm2' },
  ]);
  const { ending } = await collect(chain, requestOf());
  expect(ending).toMatchObject({
    failure: { code: 'protocol', message: expect.stringMatching(/a m1: rate_limit!.*b m2: /) },
  });
});

test('a cancelled request is asked of no one else', async () => {
  const asked: Asked[] = [];
  const chain = withFallbacks([
    { adapter: scripted('a', asked, fails('cancelled')) },
    { adapter: scripted('b', asked, FINISH) },
  ]);
  expect((await collect(chain, requestOf())).ending).toMatchObject({
    failure: { code: 'cancelled', message: 'cancelled!' },
  });
  expect(asked).toHaveLength(1);
});

test('one that failed is not asked again in the same turn, and is still named when all have failed', async () => {
  const asked: Asked[] = [];
  const replies = [FINISH, fails('network')];
  const b: Adapter = {
    ...scripted('b', asked),
    async *stream() {
      asked.push({ provider: 'b' });
      yield replies.shift() ?? FINISH;
    },
  };
  const chain = withFallbacks([{ adapter: scripted('a', asked, fails('auth')) }, { adapter: b }]);
  await collect(chain, requestOf());
  asked.length = 0;
  const { ending, events } = await collect(chain, requestOf());
  expect(asked).toEqual([{ provider: 'b' }]);
  expect(events.filter(({ type }) => type === 'restart')).toEqual([]);
  expect(ending).toMatchObject({
    failure: { code: 'network', message: expect.stringMatching(/a: auth!.*b: network!/) },
  });
});

test('the one that answers in place of the first is named at every step', async () => {
  const chain = withFallbacks([{ adapter: scripted('a', [], fails('auth')) }, { adapter: scripted('b', [], FINISH) }]);
  for (const _step of [1, 2]) {
    expect((await collect(chain, requestOf())).ending).toMatchObject({ answeredBy: { provider: 'b' } });
  }
});

test('one for which a request was too long is asked the next', async () => {
  const asked: Asked[] = [];
  const chain = withFallbacks([
    { adapter: scripted('a', asked, fails('context_length')) },
    { adapter: scripted('b', asked, FINISH) },
  ]);
  await collect(chain, requestOf());
  await collect(chain, requestOf());
  expect(asked.map(({ provider }) => provider)).toEqual(['a', 'b', 'a', 'b']);
});
