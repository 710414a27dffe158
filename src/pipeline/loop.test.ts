import { describe, expect, it } from 'vitest';
import type { Adapter, ModelEvent, ModelMessage, ModelRequest } from '../adapters/adapter.ts';
import type { Turn } from '../sessions/turn.ts';
import type { Executor } from '../tools/executor.ts';
import { createWireCalls } from '../tools/folded-calls.ts';
import { createRegistry } from '../tools/registry.ts';
import { noSubject } from '../tools/subject.ts';
import type { ToolEffect, ToolSpec } from '../tools/tool.ts';
import { createWireNames } from '../tools/wire-names.ts';
import { createCallerTools } from './caller-tools.ts';
import type { RunEvent } from './events.ts';
import { createGuards } from './guards.ts';
import { type LoopEnd, type LoopOptions, runLoop } from './loop.ts';
import { createUsageLedger } from './usage.ts';

interface Step {
  text?: string;
  calls?: { id?: string; name: string; args?: Record<string, unknown> }[];
  usage?: { inputTokens: number; outputTokens: number; costUsd?: number };
  fails?: Extract<ModelEvent, { type: 'failure' }>['failure'];
}

const spec = (name: string, effect: ToolEffect): ToolSpec => ({
  name,
  inputSchema: { type: 'object', properties: {}, additionalProperties: true },
  effect,
  subject: noSubject,
  requiresPermission: false,
  timeoutMs: 1_000,
  execute: async () => ({ data: null }),
});
const REGISTRY = createRegistry([spec('fs.read', 'read'), spec('fs.list', 'read'), spec('fs.write', 'write')]);

interface Looped {
  end: LoopEnd;
  events: RunEvent[];
  requests: ModelRequest[];
  journal: string[];
}

async function loop(
  steps: Step[],
  {
    run = async (name) => `${name} done`,
    onSteered = () => {},
    ...options
  }: Partial<LoopOptions> & {
    run?: (name: string) => Promise<string>;
    onSteered?: (...steered: Parameters<Turn['steered']>) => void;
  } = {},
): Promise<Looped> {
  const requests: ModelRequest[] = [];
  const journal: string[] = [];
  let ids = 0;
  const adapter: Adapter = {
    provider: 'scripted',
    route: 'scripted',
    callsTools: true,
    describe: async () => ({}),
    async *stream(request) {
      const step = steps[requests.length];
      requests.push({ ...request, messages: [...request.messages] });
      if (!step) throw new Error('the model was asked once too often');
      if (step.text) yield { type: 'text-delta', text: step.text };
      if (step.fails) return yield { type: 'failure', failure: step.fails };
      for (const { id = '', name, args = {} } of step.calls ?? [])
        yield { type: 'tool-call', call: { id, name, args } };
      yield { type: 'finish', reason: 'stop', usage: step.usage };
    },
  };
  const executor: Executor = {
    async execute({ name }) {
      const text = await run(name);
      return { result: { ok: true, data: text, meta: { durationMs: 0 } }, text };
    },
  };
  const turn = {
    stepAnswered: async () => {},
    callStarts: async ({ name }: { name: string }) => void journal.push(`${name} starts`),
    callEnded: async ({ text }: { text: string }) => void journal.push(`ended: ${text}`),
    async steered(...given: Parameters<Turn['steered']>) {
      onSteered(...given);
      journal.push(`steered: ${given[0]}`);
    },
    checkpoint: () => void journal.push('checkpoint'),
  } as unknown as Turn;
  const looping = runLoop({
    callerTools: createCallerTools(),
    adapter,
    request: { system: ['Be brief.'], messages: [{ role: 'user', text: 'Go.' }], tools: [], sessionId: 'session' },
    contextWindow: undefined,
    withTools: true,
    maxSteps: 3,
    guards: createGuards({}),
    ledger: createUsageLedger(),
    registry: REGISTRY,
    executor,
    wireNames: createWireCalls(createWireNames(REGISTRY.list().map(({ name }) => name)), new Set()),
    turn,
    reserveDay: async () => ({ settle: async () => undefined }),
    attach: async (attachments) => ({ attachments, images: [], pictures: [] }),
    newId: (prefix) => `${prefix}-${++ids}`,
    signal: new AbortController().signal,
    ...options,
  });
  const events: RunEvent[] = [];
  for (;;) {
    const next = await looping.next();
    if (next.done) return { end: next.value, events, requests, journal };
    events.push(next.value);
  }
}

const calls = (...names: string[]): Step => ({ calls: names.map((name, index) => ({ id: `${name}-${index}`, name })) });

describe('the calls of one round', () => {
  it('that only read run at the same time, and their results keep the order of the calls', async () => {
    const both = Promise.withResolvers<void>();
    let running = 0;
    const { end, requests } = await loop([calls('fs_read', 'fs_list'), { text: 'Done.' }], {
      async run(name) {
        running += 1;
        if (running === 2) both.resolve();
        await both.promise;
        // The first ends last.
        if (name === 'fs.read') await new Promise((resolve) => setTimeout(resolve, 5));
        return name;
      },
    });
    expect(end).toMatchObject({ ending: { kind: 'answered' }, text: 'Done.' });
    expect(requests[1]?.messages.slice(-2).map(({ text }) => text)).toEqual(['fs.read', 'fs.list']);
  });

  it('with an effect run alone, in their place', async () => {
    const running = new Set<string>();
    const seen: string[] = [];
    const both = Promise.withResolvers<void>();
    const { journal } = await loop([calls('fs_read', 'fs_list', 'fs_write', 'fs_read'), { text: 'Done.' }], {
      async run(name) {
        running.add(name);
        if (running.size === 2) both.resolve();
        await both.promise;
        await new Promise((resolve) => setTimeout(resolve, 2));
        seen.push([...running].join(' and '));
        running.delete(name);
        return name;
      },
    });
    expect(seen).toEqual(['fs.read and fs.list', 'fs.list', 'fs.write', 'fs.read']);
    expect(journal.indexOf('fs.write starts')).toBeGreaterThan(journal.indexOf('ended: fs.list'));
    expect(journal.lastIndexOf('fs.read starts')).toBeGreaterThan(journal.indexOf('ended: fs.write'));
    expect(journal.at(-1)).toBe('checkpoint');
  });

  it('go back as one answer with its calls, each result under the id of its call, named as on the wire', async () => {
    const { requests, events } = await loop([
      { text: 'Looking.', calls: [{ id: 'a', name: 'fs_read', args: { path: 'x' } }, { name: 'fs_list' }] },
      { text: 'Done.' },
    ]);
    expect(requests[1]?.messages.slice(1)).toEqual([
      {
        role: 'assistant',
        text: 'Looking.',
        native: undefined,
        toolCalls: [
          { id: 'a', name: 'fs_read', args: { path: 'x' } },
          { id: 'call-1', name: 'fs_list', args: {} },
        ],
      },
      { role: 'tool', callId: 'a', toolName: 'fs_read', text: 'fs.read done', isError: false },
      { role: 'tool', callId: 'call-1', toolName: 'fs_list', text: 'fs.list done', isError: false },
    ]);
    expect(events.flatMap((event) => (event.type === 'tool-end' ? [event.call.name] : []))).toEqual([
      'fs.read',
      'fs.list',
    ]);
  });
});

describe('steering', () => {
  it('comes with its files: the model sees them behind the words, the journal keeps them, the event names them', async () => {
    const kept: unknown[] = [];
    const image = { mimeType: 'image/png', data: 'AAAA' };
    const attachments = [
      { kind: 'text' as const, name: 'notes.txt', text: 'use tabs' },
      { kind: 'image' as const, name: '1', ...image },
    ];
    const waiting = [{ id: 'm', text: 'look at these', attachments }];
    const pictures = [{ mediaType: 'image/png', path: '/kept/1.png' }];
    const { requests, events } = await loop([calls('fs_read'), { text: 'Seen.' }], {
      steering: { isWaiting: true, take: () => waiting.splice(0) },
      attach: async (given) => ({ attachments: given, images: [image], pictures }),
      onSteered: (text, more) => kept.push([text, more]),
    });
    const attached = ['<attached name="notes.txt">\nuse tabs\n</attached>', '[picture 1 was attached]'];
    expect(requests[1]?.messages.at(-1)).toEqual({
      role: 'user',
      text: ['look at these', ...attached].join('\n\n'),
      images: [image],
    });
    expect(kept).toEqual([['look at these', { attached, pictures }]]);
    expect(events.find(({ type }) => type === 'steered')).toEqual({
      type: 'steered',
      message: { id: 'm', text: 'look at these', attached: ['notes.txt', 'picture 1'] },
    });
  });

  const steeringWith = (waiting: string[]) => ({
    get isWaiting() {
      return waiting.length > 0;
    },
    take: () => waiting.splice(0).map((text) => ({ id: text, text })),
  });

  it('joins after the running call, before the next model request; the other calls of the round are not made', async () => {
    const waiting: string[] = [];
    const ran: string[] = [];
    const { requests, journal, events } = await loop(
      [calls('fs_write', 'fs_write', 'fs_read'), { text: 'As you say.' }],
      {
        steering: steeringWith(waiting),
        async run(name) {
          ran.push(name);
          waiting.push('not like that');
          return 'written';
        },
      },
    );
    expect(ran).toEqual(['fs.write']);
    expect(requests[1]?.messages.slice(2)).toMatchObject([
      { role: 'tool', text: 'written', isError: false },
      { role: 'tool', text: expect.stringContaining('not run'), isError: true },
      { role: 'tool', text: expect.stringContaining('not run'), isError: true },
      { role: 'user', text: 'not like that' },
    ]);
    expect(journal.at(-1)).toBe('steered: not like that');
    expect(events.findLast(({ type }) => type === 'steered')).toEqual({
      type: 'steered',
      message: { id: 'not like that', text: 'not like that' },
    });
  });

  it('is left to its sender when the turn makes no further request', async () => {
    const waiting: string[] = [];
    const { end } = await loop([calls('fs_read')], {
      maxSteps: 1,
      steering: steeringWith(waiting),
      async run() {
        waiting.push('too late');
        return 'read';
      },
    });
    expect(end.ending).toEqual({ kind: 'tool-limit' });
    expect(waiting).toEqual(['too late']);
  });
});

describe('the loop', () => {
  it('ends when the model calls nothing, with what all steps used', async () => {
    const usage = { inputTokens: 10, outputTokens: 1, costUsd: 0.5 };
    const { end } = await loop([
      { ...calls('fs_read'), usage },
      { ...calls('fs_list'), usage },
      { text: 'End.', usage },
    ]);
    expect(end).toMatchObject({
      ending: { kind: 'answered' },
      text: 'End.',
      usage: { inputTokens: 30, outputTokens: 3, costUsd: 1.5 },
    });
    expect(end.called.map(({ call }) => call.name)).toEqual(['fs.read', 'fs.list']);
  });

  it('has no price when a step has none', async () => {
    const priced = { inputTokens: 1, outputTokens: 1, costUsd: 0.5 };
    const { end } = await loop([
      { ...calls('fs_read'), usage: priced },
      { text: 'End.', usage: { ...priced, costUsd: undefined } },
    ]);
    expect(end.usage).toEqual({ inputTokens: 2, outputTokens: 2 });
  });

  it('runs the calls of its last step, then stops, even when a guard would speak as well', async () => {
    const guards = createGuards({ maxTokens: 1 });
    const usage = { inputTokens: 5, outputTokens: 0 };
    const { end, requests } = await loop([{ ...calls('fs_read'), usage }], { maxSteps: 1, guards });
    expect(end.ending).toEqual({ kind: 'tool-limit' });
    expect(end.called).toHaveLength(1);
    expect(requests).toHaveLength(1);
  });

  it('stops when a guard speaks, before the model is asked again', async () => {
    const usage = { inputTokens: 5, outputTokens: 0 };
    const { end, requests } = await loop([{ text: 'So.', ...calls('fs_read'), usage }], {
      guards: createGuards({ maxTokens: 1 }),
    });
    expect(end).toMatchObject({
      ending: { kind: 'guarded', message: expect.stringContaining('5 tokens') },
      text: 'So.',
    });
    expect(requests).toHaveLength(1);
  });

  it('runs nothing of an answer that failed, or when tools are off', async () => {
    const fails = { code: 'network' as const, message: 'Gone.' };
    const failed = await loop([{ ...calls('fs_read'), fails }]);
    expect(failed.end).toMatchObject({ ending: { kind: 'failed', failure: fails }, called: [] });
    const off = await loop([{ text: 'I call.', ...calls('fs_read') }], { withTools: false });
    expect(off.end).toMatchObject({ ending: { kind: 'answered' }, text: 'I call.', called: [] });
    expect([...failed.journal, ...off.journal]).toEqual([]);
  });

  it('ends its calls when it is cancelled, tells so of each that ran, and starts no other', async () => {
    const cancel = new AbortController();
    const run = async (name: string): Promise<string> => {
      if (name === 'fs.list') return 'in time';
      cancel.abort(new Error('stopped'));
      throw cancel.signal.reason;
    };
    const answer = calls('fs_list', 'fs_read', 'fs_write');
    const { end, journal, requests } = await loop([answer], { signal: cancel.signal, run });
    expect(end.ending).toMatchObject({ kind: 'failed', failure: { code: 'cancelled' } });
    expect(end.called.map(({ call, executed: { result } }) => [call.name, result.ok || result.error.reason])).toEqual([
      ['fs.list', true],
      ['fs.read', 'cancelled'],
    ]);
    expect(journal).toContain('ended: interrupted before it finished');
    expect(journal).not.toContain('fs.write starts');
    expect(requests).toHaveLength(1);
  });
});

describe('the day’s cap', () => {
  const usage = { inputTokens: 5, outputTokens: 5 };

  function day(calls: number) {
    const left: unknown[] = [];
    let asked = 0;
    const reserveDay: LoopOptions['reserveDay'] = async () => {
      asked += 1;
      if (asked > calls) return { refused: 'the day is used up' };
      return {
        async settle(used) {
          left.push(used);
          return asked === 1 ? 'not recorded' : undefined;
        },
      };
    };
    return { left, reserveDay };
  }

  it('is asked before each call, and learns after each what it used', async () => {
    const { left, reserveDay } = day(9);
    const { end, events } = await loop([{ ...calls('fs_read'), usage }, { text: 'Done.' }], { reserveDay });
    expect(end.ending).toEqual({ kind: 'answered' });
    expect(left).toEqual([usage, undefined]);
    expect(events).toContainEqual({ type: 'notice', text: 'not recorded' });
  });

  it('that leaves nothing for the first call refuses; later it ends the run', async () => {
    const message = 'the day is used up';
    expect((await loop([], { reserveDay: day(0).reserveDay })).end.ending).toEqual({ kind: 'refused', message });
    const { end, requests } = await loop([{ ...calls('fs_read'), text: 'Let me see.', usage }], {
      reserveDay: day(1).reserveDay,
    });
    expect(end).toMatchObject({ ending: { kind: 'guarded', message }, text: 'Let me see.', usage });
    expect(requests).toHaveLength(1);
  });

  it('gets its reservation back from a call that broke off', async () => {
    const { left, reserveDay } = day(9);
    await expect(loop([], { reserveDay })).rejects.toThrow('once too often');
    expect(left).toEqual([undefined]);
  });
});

describe('a conversation that is too long', () => {
  const tooLong: Step = { fails: { code: 'context_length', message: 'Too long.' } };
  const words = 'word '.repeat(2_000);
  const messages: ModelMessage[] = [
    { role: 'user', text: words },
    { role: 'assistant', text: 'One.', toolCalls: [] },
    { role: 'user', text: 'Go.' },
  ];
  const request = { system: [], messages, tools: [], sessionId: 'session' };

  it('is sent once more with half of it, and stays that small for the rest of the turn', async () => {
    const { end, events, requests } = await loop([tooLong, calls('fs_read'), { text: 'Done.' }], { request });
    expect(end).toMatchObject({ ending: { kind: 'answered' }, text: 'Done.' });
    expect(events).toContainEqual(
      expect.objectContaining({ type: 'text-restart', reason: expect.stringContaining('too long') }),
    );
    expect(requests.map((sent) => sent.messages[0]?.text)).toEqual([words, 'Go.', 'Go.']);
  });

  it('is given up the second time, and at once when nothing can be left out', async () => {
    const twice = await loop([tooLong, tooLong], { request });
    expect(twice.end.ending).toMatchObject({ kind: 'failed', failure: { code: 'context_length' } });
    const once = await loop([tooLong], { request: { ...request, messages: messages.slice(-1) } });
    expect(once.end.ending).toMatchObject({ kind: 'failed', failure: { code: 'context_length' } });
    expect(once.requests).toHaveLength(1);
  });

  it('is made to fit a window that is known before it is sent', async () => {
    const { requests } = await loop([{ text: 'Done.' }], { request, contextWindow: 1_000 });
    expect(requests[0]?.messages.map(({ text }) => text)).toEqual(['Go.']);
  });
});
