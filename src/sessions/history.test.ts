import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ScannedLine, TranscriptLine } from '../storage/storage.ts';
import { type HistoryItem, type HistoryTurn, questionIn, readHistory } from './history.ts';

const AT = '2026-11-15T10:00:00.000Z';

async function* scanned(lines: readonly (object | string)[]): AsyncGenerator<ScannedLine> {
  for (const [index, line] of lines.entries()) {
    const number = index + 1;
    yield typeof line === 'string' ? { number, damaged: line } : { number, line: line as TranscriptLine };
  }
}

const tell = (...lines: (object | string)[]): Promise<HistoryItem[]> => Array.fromAsync(readHistory(scanned(lines)));
const turnsOf = (told: HistoryItem[]): HistoryTurn[] => told.flatMap((one) => (one.kind === 'turn' ? [one.turn] : []));
const start = (turnId: string, more: object = {}) => ({
  type: 'turn-start',
  turnId,
  timestamp: AT,
  entry: { provider: 'stub' },
  ...more,
});
const end = (turnId: string, outcome = 'answered', more: object = {}) => ({
  type: 'turn-end',
  turnId,
  timestamp: AT,
  outcome,
  messageCount: 2,
  ...more,
});
const say = (role: string, content: string) => ({
  type: 'message',
  message: { id: 'm', role, timestamp: AT, content },
});
const call = (id: string, name = 'tools.echo') => ({
  type: 'tool-call',
  turnId: 't',
  timestamp: AT,
  call: { id, name, args: {}, source: 'model' },
  effect: 'read',
});
const result = (callId: string, text: string) => ({ type: 'tool-result', turnId: 't', callId, ok: true, text });
const said = ({ messages }: HistoryTurn): string => messages.map(({ content }) => content).join(' ');

describe('a transcript as turns', () => {
  it('has what was written to a turn in the step after whose results the model saw it', async () => {
    const steering = { type: 'message', message: { ...say('user', 'not so').message, stage: 'steering' } };
    const step = { type: 'model-step', turnId: 't', timestamp: AT, text: '' };
    const [turn] = turnsOf(
      await tell(
        start('t'),
        say('user', 'do it'),
        step,
        call('a'),
        result('a', 'done'),
        steering,
        step,
        call('b'),
        result('b', 'done'),
        say('assistant', 'so'),
        end('t'),
      ),
    );
    expect(turn?.steps.map(({ steered = [] }) => steered.map(({ content }) => content))).toEqual([['not so'], []]);
    expect(turn && questionIn(turn)?.content).toBe('do it');
  });

  it('has each turn with its messages, calls, results, usage and ending', async () => {
    const [turn] = turnsOf(
      await tell(
        { type: 'session', version: 1, sessionKey: 'main', sessionId: 's', createdAt: AT },
        start('t', { origin: 'chat:1' }),
        say('user', 'hi'),
        call('a'),
        result('a', 'done'),
        say('assistant', 'ho'),
        end('t', 'answered', { usage: { inputTokens: 3, outputTokens: 4, costUsd: 0.5 }, tainted: true }),
      ),
    );
    expect(turn).toMatchObject({
      number: 1,
      turnId: 't',
      startedAt: AT,
      endedAt: AT,
      outcome: 'answered',
      provider: 'stub',
      origin: 'chat:1',
      tainted: true,
      usage: { inputTokens: 3, outputTokens: 4, costUsd: 0.5 },
      calls: [{ call: { id: 'a' }, result: { ok: true, text: 'done' } }],
    });
  });

  it('has how full the window was after the last answer, also of a turn that was cut short, where that is on record', async () => {
    const step = (context?: unknown) => ({ type: 'model-step', turnId: 't', timestamp: AT, text: '', context });
    const contextsOf = async (...lines: Parameters<typeof tell>) =>
      turnsOf(await tell(...lines)).map(({ context }) => context);
    expect(await contextsOf(start('t'), step({ tokens: 5, window: 10 }), call('a'))).toEqual([
      { tokens: 5, window: 10 },
    ]);
    expect(
      await contextsOf(start('t'), step({ tokens: 5 }), call('a'), end('t', 'answered', { context: { tokens: 7 } })),
    ).toEqual([{ tokens: 7 }]);
    expect(await contextsOf(start('t'), step({ tokens: 5 }), step(), end('t'))).toEqual([{ tokens: 5 }]);
    expect(
      await contextsOf(start('t'), step({ tokens: 'many' }), end('t', 'answered', { context: { tokens: -1 } })),
    ).toEqual([undefined]);
  });

  it('gives results of calls with one id to them in order', async () => {
    const [turn] = turnsOf(
      await tell(start('t'), call('x'), call('x'), result('x', 'one'), result('x', 'two'), end('t')),
    );
    expect(turn?.calls.map((each) => each.result?.text)).toEqual(['one', 'two']);
  });

  it('tells with each call what a person allowed, and with the turn which model answered', async () => {
    const granted = { scope: 'once', by: 'Anna', place: 'chat', at: AT, rules: [] };
    const permission = (callId: string) => ({ type: 'permission', turnId: 't', timestamp: AT, callId, granted });
    const calls = [call('a'), call('a'), permission('a'), call('b'), permission('none')];
    const told = await tell(start('t'), ...calls, end('t', 'answered', { model: 'small' }));
    const [turn] = turnsOf(told);
    expect(turn?.model).toBe('small');
    expect(turn?.calls.map((each) => each.granted)).toEqual([granted, undefined, undefined]);
  });

  it('a permission that lacks its parts is damaged', async () => {
    const broken = { type: 'permission', turnId: 't', timestamp: AT, callId: 'a', granted: { scope: 'once' } };
    expect(await tell(start('t'), call('a'), broken, end('t'))).toContainEqual({ kind: 'damaged', line: 3 });
  });

  it('a turn without its end is interrupted when another follows, unfinished when none does', async () => {
    const turns = turnsOf(await tell(start('a'), say('user', 'one'), call('c'), start('b'), say('user', 'two')));
    expect(turns.map(({ outcome }) => outcome)).toEqual(['interrupted', 'unfinished']);
    expect(turns[0]?.calls[0]?.result).toBeUndefined();
  });

  it('messages without a journal are turns, one a question, with no outcome made up', async () => {
    const turns = turnsOf(
      await tell(say('user', 'a'), say('assistant', 'b'), say('user', 'c'), say('user', 'd'), say('assistant', 'e')),
    );
    expect(turns.map(said)).toEqual(['a b', 'c', 'd e']);
    expect(turns.every(({ outcome, turnId }) => outcome === undefined && turnId === undefined)).toBe(true);
  });

  it('tells damaged lines in their place, also those that lack their parts', async () => {
    const told = await tell(
      start('t'),
      '{"torn',
      say('user', 'hi'),
      { type: 'tool-call', turnId: 't', call: null },
      { type: 'message', message: { role: 'user' } },
      { type: 'of a later version' },
      end('t'),
    );
    expect(told.filter(({ kind }) => kind === 'damaged')).toEqual([
      { kind: 'damaged', line: 2 },
      { kind: 'damaged', line: 4 },
      { kind: 'damaged', line: 5 },
    ]);
    expect(turnsOf(told).map(said)).toEqual(['hi']);
  });

  it('holds a bounded part of a transcript that never ends its turn', async () => {
    const turns = turnsOf(await tell(start('t'), ...Array.from({ length: 2_500 }, () => say('system', 'x'))));
    expect(turns.map(({ messages }) => messages.length)).toEqual([1_000, 1_000, 500]);
  });

  it('loses no message, whatever the lines and their order', async () => {
    const line = fc.oneof(
      fc.constantFrom('user', 'assistant', 'system').map((role) => say(role, 'm')),
      fc.constantFrom(start('a'), start('b'), end('a'), call('c'), result('c', 'r'), call('d')),
      fc.constant({ type: 'compaction', timestamp: AT, compactedMessageCount: 12 }),
      fc.constant('damaged'),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(line, { maxLength: 30 }), async (lines) => {
        const told = await tell(...lines);
        const messages = turnsOf(told).flatMap((turn) => turn.messages);
        expect(messages).toHaveLength(
          lines.filter((each) => typeof each !== 'string' && each.type === 'message').length,
        );
        expect(turnsOf(told).map(({ number }) => number)).toEqual(turnsOf(told).map((_, index) => index + 1));
      }),
    );
  });
});
