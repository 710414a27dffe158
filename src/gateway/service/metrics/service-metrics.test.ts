import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { newId } from '../../../lib/new-id.ts';
import type { RunEvent } from '../../../pipeline/events.ts';
import type { TurnQuestion } from '../../../pipeline/questions.ts';
import { createTurnHub, type TurnHub } from '../../turns/turn-hub.ts';
import type { ServiceStatus } from '../service-status.ts';
import { createExposition } from './exposition.ts';
import { createServiceMetrics, type ServiceMetricsDependencies } from './service-metrics.ts';

const STARTED_AT = Date.parse('2026-11-16T00:00:00.000Z');
const STATUS = {
  mailbox: { inbox: 1, outbox: 2, dead: 3 },
  channels: [
    { channel: 'local', account: 'default', state: 'connected' },
    { channel: 'telegram', account: 'work', state: 'connecting' },
  ],
} as unknown as ServiceStatus;

/** Every sample by its name and labels, as Prometheus reads it. */
function read(text: string): Map<string, number> {
  const samples = new Map<string, number>();
  for (const line of text.split('\n').slice(0, -1)) {
    if (line.startsWith('#')) {
      expect(line).toMatch(/^# (?:HELP|TYPE) [a-z_]+ \S/);
      continue;
    }
    const [, name, value] = /^([a-z_]+(?:\{(?:[a-z_]+="(?:[^"\\]|\\.)*",?)*\})?) (\S+)$/.exec(line) ?? [];
    if (name === undefined) return expect.unreachable(line);
    expect(samples.has(name)).toBe(false);
    samples.set(name, Number(value));
  }
  return samples;
}

async function runTurn(hub: TurnHub, events: readonly RunEvent[]): Promise<void> {
  await hub.start({
    id: newId('turn'),
    sessionKey: 'main',
    provider: 'stub',
    signal: new AbortController().signal,
    async *run() {
      yield* events;
    },
  });
}

const START: RunEvent = { type: 'run-start', requestId: 'r', turnId: 't', sessionKey: 'main', provider: 'stub' };
const END = { type: 'run-end', result: { stage: 'answered' } } as RunEvent;

describe('the metrics of a gateway', () => {
  const open = (unready?: string, more: Partial<ServiceMetricsDependencies> = {}) => {
    let ms = 0;
    const hub = createTurnHub({ now: () => 0, newId });
    const metrics = createServiceMetrics({
      hub,
      version: '1.2.3',
      startedAt: STARTED_AT,
      status: async () => STATUS,
      unready: async () => unready,
      monotonicMs: () => {
        ms += 500;
        return ms;
      },
      ...more,
    });
    return { hub, metrics };
  };

  it('count turns, model calls, tokens, cost and tool calls', async () => {
    const { hub, metrics } = open();
    const usage = { inputTokens: 100, outputTokens: 20, cachedTokens: 60, costUsd: 0.25 };
    const call = { id: '1', name: 'file_read', args: {} };
    const events = [
      START,
      { type: 'model-end', provider: 'stub', usage, durationMs: 1_500 },
      { type: 'tool-end', call, result: { ok: true } },
      { type: 'tool-end', call, result: { ok: false, error: { code: 'execution_error', message: '' } } },
      { type: 'model-end', provider: 'stub', usage, durationMs: 20, failure: { code: 'X', message: 'y' } },
      { type: 'text-delta', text: 'a' },
      { type: 'text-delta', text: 'b' },
      END,
    ] as RunEvent[];
    await runTurn(hub, events);
    await runTurn(hub, [START]);
    const samples = read(await metrics.text());
    expect(Object.fromEntries(samples)).toMatchObject({
      'lainclaw_turns_total{provider="stub",stage="answered"}': 1,
      'lainclaw_turns_total{provider="stub",stage="failed"}': 1,
      'lainclaw_turn_seconds_count{stage="answered"}': 1,
      'lainclaw_turn_seconds_sum{stage="answered"}': 1,
      lainclaw_first_text_seconds_count: 1,
      'lainclaw_model_calls_total{provider="stub",outcome="ok"}': 1,
      'lainclaw_model_calls_total{provider="stub",outcome="failed"}': 1,
      'lainclaw_model_call_seconds_bucket{provider="stub",le="0.1"}': 1,
      'lainclaw_model_call_seconds_bucket{provider="stub",le="2.5"}': 2,
      'lainclaw_model_call_seconds_bucket{provider="stub",le="+Inf"}': 2,
      'lainclaw_tokens_total{provider="stub",kind="input"}': 200,
      'lainclaw_tokens_total{provider="stub",kind="output"}': 40,
      'lainclaw_tokens_total{provider="stub",kind="cached"}': 120,
      'lainclaw_cost_usd_total{provider="stub"}': 0.5,
      'lainclaw_tool_calls_total{tool="file_read",outcome="ok"}': 1,
      'lainclaw_tool_calls_total{tool="file_read",outcome="failed"}': 1,
    });
  });

  it('show queues, channels, turns that run, readiness and the process', async () => {
    const { hub, metrics } = open('telegram/work is connecting');
    const ending = Promise.withResolvers<void>();
    const turn = hub.start({
      id: 'turn-1',
      sessionKey: 'main',
      provider: 'stub',
      signal: new AbortController().signal,
      async *run() {
        yield START;
        await ending.promise;
      },
    });
    const samples = Object.fromEntries(read(await metrics.text()));
    expect(samples).toMatchObject({
      'lainclaw_turns{state="running"}': 1,
      'lainclaw_turns{state="asking"}': 0,
      lainclaw_open_questions: 0,
      lainclaw_inbox_messages: 1,
      lainclaw_outbox_messages: 2,
      lainclaw_dead_letters: 3,
      'lainclaw_channel_connected{channel="local",account="default"}': 1,
      'lainclaw_channel_connected{channel="telegram",account="work"}': 0,
      lainclaw_ready: 0,
      'lainclaw_build_info{version="1.2.3"}': 1,
      process_start_time_seconds: STARTED_AT / 1_000,
    });
    expect(samples.process_resident_memory_bytes).toBeGreaterThan(1_000_000);
    expect(samples.process_cpu_seconds_total).toBeGreaterThan(0);
    ending.resolve();
    await turn;
  });

  it.each([
    ['fails', () => Promise.reject(new Error('no connection'))],
    ['does not answer', () => new Promise<never>(() => {})],
  ])('answer while the storage %s, without what it holds', async (_, status) => {
    const { hub, metrics } = open('the storage cannot be read', { status, waitMs: 1 });
    await runTurn(hub, [START, END]);
    const samples = Object.fromEntries(read(await metrics.text()));
    expect(samples).toMatchObject({
      lainclaw_ready: 0,
      'lainclaw_turns{state="running"}': 0,
      'lainclaw_turns_total{provider="stub",stage="answered"}': 1,
    });
    expect(Object.keys(samples)).not.toContain('lainclaw_inbox_messages');
  });

  it('count the questions of this gateway, and not those of another one', async () => {
    const { hub, metrics } = open();
    const ending = Promise.withResolvers<void>();
    const asking = (turnId: string) => ({ id: 'q1', turnId, askedAt: '', permission: {} }) as unknown as TurnQuestion;
    const turns = (['turn-here', 'turn-there'] as const).map((id) =>
      hub.start({
        id,
        sessionKey: 'main',
        provider: 'stub',
        signal: new AbortController().signal,
        remote: {
          questions: () => [asking(id)],
          answer: async () => ({ kind: 'unknown' }),
          steer() {},
          withdraw() {},
          write() {},
          ...(id === 'turn-there' && { isElsewhere: true }),
        },
        async *run() {
          yield START;
          await ending.promise;
        },
      }),
    );
    expect(Object.fromEntries(read(await metrics.text()))).toMatchObject({
      'lainclaw_turns{state="asking"}': 1,
      lainclaw_open_questions: 1,
    });
    ending.resolve();
    await Promise.all(turns);
  });

  it('count tools that a model invents under one name', async () => {
    const { hub, metrics } = open();
    const result = { ok: false, error: { code: 'tool_not_found', message: '' } };
    const calls = Array.from({ length: 300 }, (_, index) => ({ id: '1', name: `invented-${index}`, args: {} }));
    const events = [START, ...calls.map((call) => ({ type: 'tool-end', call, result })), END];
    await runTurn(hub, events as unknown as RunEvent[]);
    const names = [...read(await metrics.text())].filter(([name]) => name.startsWith('lainclaw_tool_calls_total'));
    expect(names).toEqual([['lainclaw_tool_calls_total{tool="unknown",outcome="failed"}', 300]]);
  });

  it('count no longer once they are closed', async () => {
    const { hub, metrics } = open();
    metrics.close();
    await runTurn(hub, [START, END]);
    expect([...read(await metrics.text()).keys()].some((name) => name.startsWith('lainclaw_turns_total'))).toBe(false);
  });
});

describe('the text format', () => {
  it('whatever labels hold, each sample is one line that reads back', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ unit: 'binary' }), { maxLength: 20 }), (values) => {
        const exposition = createExposition();
        const counter = exposition.counter('a_total', 'Some\nhelp \\ text.');
        for (const value of values) counter.add({ value });
        const samples = read(exposition.text([]));
        expect(samples.size).toBe(new Set(values).size);
        expect([...samples.values()].reduce((sum, value) => sum + value, 0)).toBe(values.length);
      }),
    );
  });

  it('a histogram counts each value in every bucket that it fits', () => {
    fc.assert(
      fc.property(fc.array(fc.double({ min: 0, max: 20, noNaN: true }), { minLength: 1 }), (values) => {
        const exposition = createExposition();
        const histogram = exposition.histogram('h', 'Help.', [1, 5, 10]);
        for (const value of values) histogram.observe({}, value);
        const samples = read(exposition.text([]));
        for (const bound of [1, 5, 10])
          expect(samples.get(`h_bucket{le="${bound}"}`)).toBe(values.filter((value) => value <= bound).length);
        expect(samples.get('h_bucket{le="+Inf"}')).toBe(values.length);
        expect(samples.get('h_count')).toBe(values.length);
      }),
    );
  });

  it('past two hundred combinations of labels the rest is one series: names that a model invents cost nothing', () => {
    const exposition = createExposition();
    const counter = exposition.counter('a_total', 'Help.');
    for (let index = 0; index < 1_000; index += 1) counter.add({ tool: `tool-${index}` });
    const samples = read(exposition.text([]));
    expect(samples.size).toBe(201);
    expect(samples.get('a_total{other="true"}')).toBe(800);
  });
});
