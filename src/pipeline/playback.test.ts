import { describe, expect, it } from 'vitest';
import type { HistoryCall, HistoryTurn } from '../sessions/history.ts';
import { type PlayedEvent, playTurn } from './playback.ts';

const at = (seconds: number): string => new Date(Date.UTC(2026, 10, 15, 10, 0, seconds)).toISOString();
const options = { sessionKey: 'main', sessionId: 'session-1', longestPauseMs: 2_000, streams: true };

const call = (id: string, second: number, durationMs: number, ok = true): HistoryCall => ({
  call: { id, name: 'tools.echo', args: {}, source: 'model' },
  effect: 'read',
  timestamp: at(second),
  result: {
    ok,
    text: id,
    meta: { durationMs },
    ...(!ok && { error: { code: 'execution_error', message: 'no', reason: 'denied' } }),
  },
});
const message = (role: 'user' | 'assistant', second: number, content: string) => ({
  id: 'm',
  role,
  timestamp: at(second),
  content,
  route: 'stub',
  stage: 's',
  provider: 'stub',
});
const turn = (more: Partial<HistoryTurn> = {}): HistoryTurn => ({
  number: 1,
  turnId: 'turn-1',
  startedAt: at(0),
  outcome: 'answered',
  messages: [message('user', 0, 'hi'), message('assistant', 30, 'one two\nthree 你好')],
  calls: [],
  steps: more.calls ? [{ text: '', calls: more.calls }] : [],
  ...more,
});
const play = (told: HistoryTurn, more: object = {}): PlayedEvent[] => [...playTurn(told, { ...options, ...more })];
const types = (played: PlayedEvent[]): string[] => played.map(({ event }) => event.type);
const endOf = (played: PlayedEvent[]) => {
  const last = played.at(-1)?.event;
  if (last?.type !== 'run-end') throw new Error('it does not end');
  return last.result;
};

describe('a turn that is played back', () => {
  it('begins and ends as every turn does, with the answer whole', () => {
    const played = play(turn());
    expect(types(played)[0]).toBe('run-start');
    const text = played.flatMap(({ event }) => (event.type === 'text-delta' ? [event.text] : []));
    expect(text.length).toBeGreaterThan(3);
    expect(text.join('')).toBe('one two\nthree 你好');
    expect(endOf(played)).toMatchObject({ success: true, stage: 'answered', result: 'one two\nthree 你好' });
    expect(types(play(turn(), { streams: false }))).toEqual(['run-start', 'text-delta', 'run-end']);
  });

  it('shows what was written to it after the calls that were running then', () => {
    const steered = [{ ...message('user', 3, 'not so'), stage: 'steering' }];
    const calls = [call('a', 1, 500)];
    const played = play(turn({ calls, steps: [{ text: '', calls, steered }] }), { streams: false });
    expect(types(played)).toEqual(['run-start', 'tool-start', 'tool-end', 'steered', 'text-delta', 'run-end']);
  });

  it('names what was written as its sender did: what joined it, and what its question is made of', () => {
    const steered = [{ ...message('user', 3, 'not so'), stage: 'steering', origin: 'message-1' }];
    const played = play(turn({ origin: 'message-2 message-3', steps: [{ text: '', calls: [], steered }] }));
    expect(played.map(({ event }) => event)).toEqual(
      expect.arrayContaining([
        expect.objectContaining({ type: 'run-start', origin: 'message-2 message-3' }),
        { type: 'steered', message: { id: 'message-1', text: 'not so' } },
      ]),
    );
  });

  it('has no pause longer than the longest, and keeps shorter ones', () => {
    const played = play(turn({ calls: [call('a', 1, 500), call('b', 20, 60_000)] }));
    const waits = played.map(({ event, waitMs }) => [event.type, waitMs] as const);
    expect(waits.slice(1, 5)).toEqual([
      ['tool-start', 1_000],
      ['tool-end', 500],
      ['tool-start', 2_000],
      ['tool-end', 2_000],
    ]);
    expect(played.every(({ waitMs }) => waitMs >= 0 && waitMs <= 2_000)).toBe(true);
  });

  it('shows calls that ran at the same time so', () => {
    const order = play(turn({ calls: [call('a', 1, 5_000), call('b', 1, 100)] })).flatMap(({ event }) =>
      'call' in event ? [`${event.type} ${event.call.id}`] : [],
    );
    expect(order).toEqual(['tool-start a', 'tool-start b', 'tool-end b', 'tool-end a']);
  });

  it('gives a result as the model saw it, and the first failure', () => {
    const result = endOf(play(turn({ calls: [call('a', 1, 1), call('b', 2, 1, false)] })));
    expect(result.toolResults.map((each) => each.result)).toMatchObject([
      { ok: true, data: 'a' },
      { ok: false, error: { code: 'execution_error', reason: 'denied' } },
    ]);
    expect(result.toolError).toEqual({ tool: 'tools.echo', code: 'execution_error', message: 'no' });
  });

  it.each([
    ['interrupted', 'INTERRUPTED'],
    ['unfinished', 'UNFINISHED'],
  ] as const)('that was %s says so, and its call without a result never ends', (outcome, code) => {
    const { result: _result, ...open } = call('a', 1, 1);
    const played = play(turn({ outcome, messages: [message('user', 0, 'hi')], calls: [open] }));
    expect(types(played)).toEqual(['run-start', 'tool-start', 'run-end']);
    expect(endOf(played)).toMatchObject({ success: false, error: { code }, toolCalls: [{ id: 'a' }], toolResults: [] });
  });

  it('plays without any time on record', () => {
    const told = turn({ startedAt: undefined, messages: [{ ...message('assistant', 0, 'x'), timestamp: 'never' }] });
    expect(play(told).map(({ waitMs }) => waitMs)).toEqual([0, 0, 0]);
  });
});
