import { describe, expect, it } from 'vitest';
import type { AskResult, RunEvent } from '../../pipeline/events.ts';
import type { ToolCall, ToolResult } from '../../tools/tool.ts';
import { NEW_TURN, type TurnView, withEvent } from './turn-view.ts';

const call = (id: string, name = 'bash'): ToolCall => ({ id, name, args: { command: 'ls' }, source: 'model' });
const done: ToolResult = { ok: true, data: { output: 'a' }, meta: { durationMs: 5 } };
const text = (value: string): RunEvent => ({ type: 'text-delta', text: value });

function endOf(more: Partial<AskResult> = {}): RunEvent {
  return {
    type: 'run-end',
    result: {
      success: true,
      requestId: 'req',
      createdAt: '',
      route: 'chat.fake',
      stage: 'answered',
      result: '',
      sessionKey: 'main',
      sessionId: 's',
      memoryEnabled: false,
      memoryUpdated: false,
      toolCalls: [],
      toolResults: [],
      sessionContextUpdated: true,
      ...more,
    } as AskResult,
  };
}

function viewOf(...events: RunEvent[]): TurnView {
  let id = 0;
  return events.reduce((view, event) => withEvent(view, event, () => ++id), NEW_TURN);
}

const shown = ({ entries }: TurnView): string[] =>
  entries.map((entry) =>
    entry.kind === 'tool'
      ? `${entry.call.id} ${entry.end.state}`
      : `${entry.kind}: ${'text' in entry ? entry.text : ''}`,
  );

describe('a turn as it is shown', () => {
  it('grows one answer from its pieces, and begins another after a tool', () => {
    const view = viewOf(
      text('Let me '),
      text('look.'),
      { type: 'tool-start', call: call('1') },
      { type: 'tool-end', call: call('1'), result: done },
      text('It is a.'),
      endOf({ result: 'It is a.' }),
    );
    expect(shown(view)).toEqual(['answer: Let me look.', '1 ended', 'answer: It is a.']);
  });

  it('takes back what was streamed before the model is asked again', () => {
    const view = viewOf(text('Wrong'), { type: 'text-restart', reason: 'cut off', waitMs: 1_200 }, text('Right'));
    expect(shown(view)).toEqual(['notice: ↻ cut off; asking again in 2 s', 'answer: Right']);
  });

  it('has one line for a model that is asked again and again', () => {
    const again = (waitMs: number): RunEvent => ({ type: 'text-restart', reason: 'overloaded', waitMs });
    expect(shown(viewOf(again(1_000), again(2_000), again(4_000)))).toEqual([
      'notice: ↻ overloaded; asking again in 4 s',
    ]);
  });

  it('keeps the text before a tool when the model is asked again after it', () => {
    const view = viewOf(
      text('Before'),
      { type: 'tool-start', call: call('1') },
      { type: 'tool-end', call: call('1'), result: done },
      { type: 'text-restart', reason: 'cut off', waitMs: 0 },
    );
    expect(shown(view)).toEqual(['answer: Before', '1 ended', 'notice: ↻ cut off; asking again in 0 s']);
  });

  it('tells what is going on, calls at the same time included', () => {
    const running = viewOf({ type: 'tool-start', call: call('1') }, { type: 'tool-start', call: call('2', 'grep') });
    expect(running.activity).toEqual({ kind: 'calling', names: ['bash', 'grep'] });
    expect(viewOf({ type: 'waiting' }).activity).toEqual({ kind: 'waiting' });
    expect(viewOf(text('a')).activity).toEqual({ kind: 'writing' });
  });

  it('keeps a bounded end of what a call shows', () => {
    const output: RunEvent = { type: 'tool-output', call: call('1'), text: `${'x'.repeat(5_000)}\n` };
    const view = viewOf({ type: 'tool-start', call: call('1') }, output, output, {
      ...output,
      text: 'the end',
    });
    const [entry] = view.entries;
    expect(entry).toMatchObject({ kind: 'tool', output: expect.stringMatching(/the end$/) });
    expect(entry?.kind === 'tool' && entry.output.length).toBeLessThanOrEqual(8_000);
  });

  it('keeps what the model thinks, closed by its words or its call, and void with an answer that is void', () => {
    const thought = (value: string): RunEvent => ({ type: 'thinking-delta', text: value });
    const view = viewOf(thought('First '), thought('this.'), text('So.'), thought('Then that.'), {
      type: 'tool-start',
      call: call('1'),
    });
    expect(view.entries).toMatchObject([
      { kind: 'thought', text: 'First this.', isOver: true },
      { kind: 'answer' },
      { kind: 'thought', text: 'Then that.', isOver: true },
      { kind: 'tool' },
    ]);
    expect(viewOf(thought('Hm')).entries).toMatchObject([{ kind: 'thought', isOver: false }]);
    const restart: RunEvent = { type: 'text-restart', reason: 'cut off', waitMs: 0 };
    expect(shown(viewOf(thought('Wrong'), restart))).toEqual(['notice: ↻ cut off; asking again in 0 s']);
    const long = viewOf(thought('x'.repeat(15_000)), thought('y'.repeat(15_000)));
    expect(long.entries[0]).toMatchObject({ text: expect.stringMatching(/^x{5000}y{15000}$/) });
  });

  it('shows what was written to it in its place', () => {
    const view = viewOf(
      { type: 'tool-start', call: call('1') },
      { type: 'tool-end', call: call('1'), result: done },
      { type: 'steered', message: { id: 'm', text: 'not so' } },
      text('As you say.'),
    );
    expect(shown(view)).toEqual(['1 ended', 'user: not so', 'answer: As you say.']);
  });

  it('does not say twice what a limit repeats as the result', () => {
    const view = viewOf(
      text('Looking.'),
      { type: 'tool-start', call: call('1') },
      { type: 'tool-end', call: call('1'), result: done },
      endOf({
        result: 'Looking.',
        stage: 'tool-limit',
        toolError: { tool: 'bash', code: 'execution_error', message: 'exceeded max steps (1)' },
      }),
    );
    expect(shown(view)).toEqual(['answer: Looking.', '1 ended', 'warning: exceeded max steps (1)']);
  });

  it('shows results of calls by hand as they are', () => {
    const view = viewOf(endOf({ route: 'tool', result: 'time.now: {"a":1}' }));
    expect(view.entries).toMatchObject([{ kind: 'answer', isPlain: true }]);
  });

  it('says how it ended when that is not by an answer', () => {
    const failed = { success: false, stage: 'failed', error: { code: 'NO_KEY', message: 'sign in' } } as const;
    expect(shown(viewOf(endOf(failed)))).toEqual(['failure: NO_KEY: sign in']);
    const cancelled = { success: false, stage: 'cancelled', error: { code: 'CANCELLED', message: '' } } as const;
    expect(shown(viewOf({ type: 'tool-start', call: call('1') }, endOf(cancelled)))).toEqual([
      '1 cut-short',
      'notice: ⏹ cancelled',
    ]);
  });
});

it('shows the newest checklist of a turn alone', () => {
  const list = (status: string): ToolResult => ({
    ok: true,
    data: { checklist: [{ text: 'look', status }] },
    meta: { durationMs: 1 },
  });
  const view = viewOf(
    { type: 'tool-start', call: call('a', 'todo') },
    { type: 'tool-end', call: call('a', 'todo'), result: list('pending') },
    { type: 'tool-start', call: call('b') },
    { type: 'tool-end', call: call('b'), result: done },
    { type: 'tool-start', call: call('c', 'todo') },
    { type: 'tool-end', call: call('c', 'todo'), result: list('completed') },
  );
  expect(shown(view)).toEqual(['b ended', 'c ended']);
});
