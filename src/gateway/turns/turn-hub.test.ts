import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import type { FormRequest } from '../../mcp/elicitation.ts';
import type { AskResult, RunEvent } from '../../pipeline/events.ts';
import type { PermissionQuestion } from '../../tools/policy.ts';
import type { Answerer } from './answerer.ts';
import type { TurnItem } from './event-log.ts';
import { createTurnHub, type HubTurn, type StartOptions, type TurnHub } from './turn-hub.ts';

const TERMINAL = { place: 'terminal' as const };
const CHAT = { place: 'chat' as const, chat: 'telegram:1', name: 'Anna', isOwner: true };
const FORM: FormRequest = {
  server: 'weather',
  message: 'Where?',
  schema: { type: 'object', properties: { city: { type: 'string', minLength: 2 } }, required: ['city'] },
};

function permission(name = 'bash'): PermissionQuestion {
  return {
    call: { id: 'call-1', name, args: {}, source: 'model' },
    verdict: {
      verdict: 'ask',
      reasons: [],
      changes: true,
      needsPerson: false,
      question: { title: 'Run?', titleParts: [], exact: 'ls', parts: [] },
      rememberAs: [],
      scopes: ['once', 'session'],
    },
  };
}

function runEnd(stage: AskResult['stage'] = 'answered'): RunEvent {
  return { type: 'run-end', result: { success: true, stage, result: 'done' } as AskResult };
}

let time = 0;
const never = new AbortController().signal;
const newIds = () => {
  let last = 0;
  return (prefix: string): string => `${prefix}-${String(++last).padStart(6, '0')}`;
};

function testHub(limits: Parameters<typeof createTurnHub>[0]['limits'] = {}): TurnHub {
  return createTurnHub({ now: () => time, newId: newIds(), limits });
}

/** A turn that a test writes. */
function start(hub: TurnHub, id: string, run: StartOptions['run'], more: Partial<StartOptions> = {}): void {
  void hub.start({ id, sessionKey: 'main', provider: 'stub', signal: never, run, ...more });
}

async function* answered(): AsyncGenerator<RunEvent> {
  yield { type: 'text-delta', text: 'Hello' };
  yield runEnd();
}

async function read(hub: TurnHub, id: string, after = 0): Promise<TurnItem[]> {
  const items: TurnItem[] = [];
  for await (const item of hub.read(id, { after })) items.push(item);
  return items;
}

const typesOf = (items: readonly TurnItem[]): string[] =>
  items.map((item) => (item.kind === 'event' ? item.event.type : 'gap'));

/** Asks, and tells what came of it. */
async function* asks(turn: HubTurn, question = permission()): AsyncGenerator<RunEvent> {
  const answer = await turn.questions.permission(question, turn.signal);
  const said = answer && `${answer.scope ?? 'denied'} by ${answer.by} at the ${answer.place}`;
  yield { type: 'notice', text: said ?? 'nobody answered' };
  yield runEnd();
}

const openId = (hub: TurnHub): string => hub.questions()[0]?.id ?? 'none';
const noticeIn = (items: readonly TurnItem[]): string | undefined =>
  items.flatMap((item) => (item.kind === 'event' && item.event.type === 'notice' ? [item.event.text] : []))[0];

beforeEach(() => {
  time = 1_000;
  vi.useFakeTimers();
});
afterEach(() => void vi.useRealTimers());

describe('a turn', () => {
  it('runs whether anybody reads it or not, and is read later from any number on', async () => {
    const hub = testHub();
    start(hub, 'one', answered);
    await vi.advanceTimersByTimeAsync(0);
    expect(hub.turn('one')).toMatchObject({ state: 'ended', stage: 'answered', lastNumber: 2 });
    expect(typesOf(await read(hub, 'one'))).toEqual(['text-delta', 'run-end']);
    expect(typesOf(await read(hub, 'one', 1))).toEqual(['run-end']);
    expect(await read(hub, 'one', 2)).toEqual([]);
  });

  it('is listed with its state while it runs, and stopped by its id', async () => {
    const hub = testHub();
    start(hub, 'one', async function* ({ signal }) {
      yield { type: 'waiting' };
      await new Promise((resolve) => signal.addEventListener('abort', resolve));
      yield runEnd('cancelled');
    });
    await vi.advanceTimersByTimeAsync(0);
    expect(hub.turns()).toMatchObject([{ id: 'one', sessionKey: 'main', state: 'waiting', lastNumber: 1 }]);
    expect(hub.stop('one')).toBe('stopped');
    expect(typesOf(await read(hub, 'one'))).toEqual(['waiting', 'run-end']);
    expect(hub.turn('one')).toMatchObject({ state: 'ended', stage: 'cancelled' });
    expect(hub.stop('one')).toBe('ended');
    expect(hub.stop('another')).toBe('unknown');
  });

  it('ends for all its readers with the error that ended it', async () => {
    const hub = testHub();
    // biome-ignore lint/correctness/useYield: it fails before
    start(hub, 'one', async function* () {
      throw new Error('a defect');
    });
    await expect(read(hub, 'one')).rejects.toThrow('a defect');
    expect(hub.turn('one')).toMatchObject({ state: 'ended' });
  });

  it('refuses numbers that it does not have, and turns that it never had, by name', async () => {
    const hub = testHub();
    start(hub, 'one', answered);
    await vi.advanceTimersByTimeAsync(0);
    for (const after of [3, -1, 0.5])
      expect(() => hub.read('one', { after })).toThrow(expect.objectContaining({ code: 'EVENT_NUMBER_INVALID' }));
    expect(() => hub.read('two')).toThrow(expect.objectContaining({ code: 'TURN_UNKNOWN' }));
  });

  it('that has ended is let go with its session; others and running ones stay', async () => {
    const hub = testHub();
    start(hub, 'ended', answered);
    start(hub, 'other', answered, { sessionKey: 'other' });
    await vi.advanceTimersByTimeAsync(0);
    start(hub, 'running', async function* () {
      await new Promise(() => {});
      yield runEnd();
    });
    hub.forgetSession('main');
    expect(hub.turns().map(({ id }) => id)).toEqual(['other', 'running']);
    expect(() => hub.read('ended')).toThrow(expect.objectContaining({ code: 'TURN_FORGOTTEN' }));
  });

  it.each<[string, { endedMs?: number; endedTurns?: number; endedBytes?: number }]>([
    ['after a while', { endedMs: 5_000 }],
    ['when there are too many', { endedTurns: 1 }],
    ['when they are too large', { endedBytes: 600 }],
  ])('that has ended is forgotten %s, and a late reader learns so', async (_, limits) => {
    const hub = testHub(limits);
    start(hub, 'old', answered);
    await vi.advanceTimersByTimeAsync(0);
    expect(hub.turn('old')).toBeDefined();
    time += 6_000;
    if (limits.endedMs === undefined) start(hub, 'new', answered);
    await vi.advanceTimersByTimeAsync(6_000);
    expect(hub.turn('old')).toBeUndefined();
    expect(() => hub.read('old')).toThrow(
      expect.objectContaining({ code: 'TURN_FORGOTTEN', message: expect.stringContaining('transcript') }),
    );
  });

  it('that is running is never let go', async () => {
    const hub = testHub({ endedTurns: 0, endedMs: 0, endedBytes: 0 });
    start(hub, 'long', asks);
    start(hub, 'short', answered);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(hub.turns().map(({ id }) => id)).toEqual(['long']);
  });
});

describe('a question', () => {
  it('is an event and is listed; the first answer counts, and the next learns who gave it', async () => {
    const hub = testHub();
    start(hub, 'one', asks, { chat: 'telegram:1' });
    await vi.advanceTimersByTimeAsync(0);
    expect(hub.turn('one')?.state).toBe('asking');
    const id = openId(hub);
    expect(await hub.answer(id, { kind: 'allow', scope: 'session' }, CHAT)).toEqual({ kind: 'accepted' });
    expect(await hub.answer(id, { kind: 'deny' }, TERMINAL)).toMatchObject({
      kind: 'ended',
      event: { resolution: { ending: 'answered', place: 'chat', by: 'Anna', answer: { scope: 'session' } } },
    });
    const items = await read(hub, 'one');
    expect(typesOf(items)).toEqual(['permission-request', 'permission-resolved', 'notice', 'run-end']);
    expect(noticeIn(items)).toBe('session by Anna at the chat');
    expect(hub.questions()).toEqual([]);
  });

  it.each<[string, string, Answerer]>([
    ['is not the owner', 'telegram:1', { ...CHAT, isOwner: false }],
    ['is not the owner, in the console', 'console:bo', { place: 'console', name: 'Bo', isOwner: false, person: 'bo' }],
  ])('stays open when the one who answers %s', async (_, chat, by) => {
    const hub = testHub();
    start(hub, 'one', asks, { chat });
    await vi.advanceTimersByTimeAsync(0);
    expect(await hub.answer(openId(hub), { kind: 'allow', scope: 'once' }, by)).toEqual({
      kind: 'refused',
      message: expect.stringContaining('Only the owner'),
    });
    expect(hub.questions()).toHaveLength(1);
  });

  it('does not exist for a person of the console whose turn does not ask it', async () => {
    const hub = testHub();
    start(hub, 'one', asks, { chat: 'telegram:1' });
    await vi.advanceTimersByTimeAsync(0);
    const bo: Answerer = { place: 'console', name: 'Bo', isOwner: false, person: 'bo' };
    expect(await hub.answer(openId(hub), { kind: 'deny' }, bo)).toEqual({ kind: 'unknown' });
  });

  it('does not exist for another chat, neither while it is open nor after', async () => {
    const hub = testHub();
    start(hub, 'one', asks, { chat: 'telegram:1' });
    await vi.advanceTimersByTimeAsync(0);
    const id = openId(hub);
    const elsewhere = { ...CHAT, chat: 'telegram:2' };
    expect(await hub.answer(id, { kind: 'allow', scope: 'once' }, elsewhere)).toEqual({ kind: 'unknown' });
    await hub.answer(id, { kind: 'deny' }, CHAT);
    expect(await hub.answer(id, { kind: 'deny' }, elsewhere)).toEqual({ kind: 'unknown' });
  });

  it('stays open when the answer does not fit it', async () => {
    const hub = testHub();
    start(hub, 'one', asks);
    await vi.advanceTimersByTimeAsync(0);
    expect(await hub.answer(openId(hub), { kind: 'allow', scope: 'always' }, TERMINAL)).toMatchObject({
      kind: 'invalid',
      message: expect.stringContaining('once or'),
    });
    expect(await hub.answer('q-other', { kind: 'deny' }, TERMINAL)).toEqual({ kind: 'unknown' });
    expect(await hub.answer(openId(hub), { kind: 'deny' }, TERMINAL)).toEqual({ kind: 'accepted' });
    expect(noticeIn(await read(hub, 'one'))).toBe('denied by owner at the terminal');
  });

  it('is a no when its time is over', async () => {
    const hub = testHub();
    start(hub, 'one', asks, { questionMs: 60_000 });
    await vi.advanceTimersByTimeAsync(0);
    const id = openId(hub);
    expect(hub.questions()[0]?.expiresAt).toBe(new Date(61_000).toISOString());
    await vi.advanceTimersByTimeAsync(60_000);
    expect(noticeIn(await read(hub, 'one'))).toBe('nobody answered');
    expect(await hub.answer(id, { kind: 'allow', scope: 'once' }, TERMINAL)).toMatchObject({
      kind: 'ended',
      event: { resolution: { ending: 'expired' } },
    });
  });

  it.each(['stopped', 'ended'] as const)('is a no when its turn is %s', async (how) => {
    const hub = testHub();
    start(hub, 'one', async function* (turn) {
      const asking = turn.questions.permission(permission(), turn.signal).catch(() => undefined);
      if (how === 'stopped') await asking;
      yield runEnd('cancelled');
    });
    if (how === 'stopped') {
      await vi.advanceTimersByTimeAsync(0);
      hub.stop('one');
    }
    const items = await read(hub, 'one');
    expect(typesOf(items)).toEqual(['permission-request', 'permission-resolved', 'run-end']);
    expect(items[1]).toMatchObject({ event: { resolution: { ending: 'turn-ended' } } });
    expect(hub.questions()).toEqual([]);
  });

  it('of a sub-agent reaches the readers of the turn that waits for it, and is answered like any other', async () => {
    const hub = testHub();
    start(
      hub,
      'top',
      async function* () {
        start(hub, 'below', asks, { parentId: 'top', chat: 'telegram:1' });
        for await (const _ of hub.read('below'));
        yield runEnd();
      },
      { chat: 'telegram:1' },
    );
    await vi.advanceTimersByTimeAsync(0);
    expect(hub.questions()).toMatchObject([{ turnId: 'below' }]);
    await hub.answer(openId(hub), { kind: 'allow', scope: 'once' }, CHAT);
    expect(typesOf(await read(hub, 'top'))).toEqual(['permission-request', 'permission-resolved', 'run-end']);
    expect(noticeIn(await read(hub, 'below'))).toBe('once by Anna at the chat');
  });
});

describe('a form', () => {
  async function* asksForm({ questions, signal }: HubTurn): AsyncGenerator<RunEvent> {
    yield { type: 'notice', text: JSON.stringify(await questions.form(FORM, signal)) };
    yield runEnd();
  }

  it('takes only what fits it, and shows what was filled in to nobody else', async () => {
    vi.useRealTimers();
    const hub = testHub();
    start(hub, 'one', asksForm);
    await eventually(() => expect(hub.questions()).toHaveLength(1));
    const id = openId(hub);
    const fill = (city: string) =>
      hub.answer(id, { kind: 'form', answer: { action: 'accept', content: { city } } }, TERMINAL);
    expect(await fill('x')).toMatchObject({ kind: 'invalid', message: expect.stringContaining('city') });
    expect(await hub.answer(id, { kind: 'allow', scope: 'once' }, TERMINAL)).toMatchObject({ kind: 'invalid' });
    expect(await fill('Bern')).toEqual({ kind: 'accepted' });
    expect(await fill('Rome')).toMatchObject({
      kind: 'ended',
      event: { type: 'form-resolved', resolution: { answer: { action: 'accept' } } },
    });
    const items = await read(hub, 'one');
    expect(typesOf(items)).toEqual(['form-request', 'form-resolved', 'notice', 'run-end']);
    expect(noticeIn(items)).toBe('{"action":"accept","content":{"city":"Bern"}}');
    expect(JSON.stringify(items[1])).not.toContain('Bern');
  });

  it('is declined by a no, and when its time is over', async () => {
    const hub = testHub();
    start(hub, 'denied', asksForm);
    await vi.advanceTimersByTimeAsync(0);
    await hub.answer(openId(hub), { kind: 'deny' }, TERMINAL);
    expect(noticeIn(await read(hub, 'denied'))).toBe('{"action":"decline"}');
    start(hub, 'late', asksForm, { questionMs: 1_000 });
    await vi.advanceTimersByTimeAsync(1_000);
    expect(noticeIn(await read(hub, 'late'))).toBe('{"action":"decline"}');
  });
});

describe('steering', () => {
  it('resolves when the turn has taken the message up, or has ended without it', async () => {
    const hub = testHub();
    const go = Promise.withResolvers<void>();
    start(hub, 't', async function* ({ steering }) {
      await go.promise;
      for (const message of steering.take()) yield { type: 'steered', message };
      void late.resolve(hub.steer('t', { id: 'b', text: 'too late' }));
      yield runEnd();
    });
    const late = Promise.withResolvers<string>();
    const first = hub.steer('t', { id: 'a', text: 'not so' });
    go.resolve();
    expect([await first, await late.promise]).toEqual(['joined', 'ended']);
    expect(await read(hub, 't')).toMatchObject([
      { event: { type: 'steer-waiting', message: { id: 'a', text: 'not so' } } },
      { event: { type: 'steered', message: { text: 'not so' } } },
      { event: { type: 'steer-waiting', message: { id: 'b' } } },
      { event: { type: 'run-end' } },
    ]);
    expect(await hub.steer('t', { id: 'c', text: 'x' })).toBe('ended');
    expect(await hub.steer('nobody', { id: 'd', text: 'x' })).toBe('unknown');
  });

  it('takes a message once for each id, and tells its outcome again', async () => {
    const hub = testHub();
    const go = Promise.withResolvers<void>();
    start(hub, 't', async function* ({ steering }) {
      await go.promise;
      for (const message of steering.take()) yield { type: 'steered', message };
    });
    const sent = [hub.steer('t', { id: 'a', text: 'not so' }), hub.steer('t', { id: 'a', text: 'not so' })];
    go.resolve();
    expect(await Promise.all(sent)).toEqual(['joined', 'joined']);
    expect(typesOf(await read(hub, 't'))).toEqual(['steer-waiting', 'steered']);
    expect(await hub.steer('t', { id: 'a', text: 'not so' })).toBe('joined');
  });

  it('gives a message back whose sender allows that, until the turn has taken it up', async () => {
    const hub = testHub();
    const go = Promise.withResolvers<void>();
    start(hub, 't', async function* ({ steering }) {
      await go.promise;
      for (const message of steering.take()) yield { type: 'steered', message };
    });
    const sent = ['a', 'b'].map((id) => hub.steer('t', { id, text: id, canWithdraw: true }));
    void hub.steer('t', { id: 'own', text: 'mine' });
    expect(await hub.withdraw('t', 'a')).toBe('withdrawn');
    expect(await hub.withdraw('t', 'a')).toBe('withdrawn');
    const unknown = [hub.withdraw('t', 'own'), hub.withdraw('t', 'none'), hub.withdraw('nobody', 'a')];
    expect(await Promise.all(unknown)).toEqual(['unknown', 'unknown', 'unknown']);
    go.resolve();
    expect(await Promise.all(sent)).toEqual(['withdrawn', 'joined']);
    expect(await hub.withdraw('t', 'b')).toBe('joined');
    const told = (await read(hub, 't')).map((item) => item.kind === 'event' && item.event);
    expect(told).toMatchObject([
      { type: 'steer-waiting', message: { id: 'a', canWithdraw: true } },
      { type: 'steer-waiting' },
      { type: 'steer-waiting', message: { id: 'own', text: 'mine' } },
      { type: 'steer-withdrawn', messageId: 'a' },
      { type: 'steered', message: { id: 'b' } },
      { type: 'steered', message: { id: 'own' } },
    ]);
  });
});
