import { expect, it } from 'vitest';
import { newTurn, replayedTurn, type TurnEvent, type TurnView, withEvent } from './turn-view.ts';

const call = { id: 'c1', name: 'bash', args: { command: 'ls' }, source: 'model' };
const ok = { ok: true as const, data: 'a.txt', meta: { durationMs: 5 } };

function told(...events: TurnEvent[]): TurnView {
  return events.reduce((turn, event) => withEvent(turn, event), newTurn('turn-1', 'list the files'));
}

function ending(result: string, stage = 'answered'): TurnEvent {
  return { type: 'run-end', result: { success: true, stage, result } as never };
}

it('joins what is streamed, and keeps words before and after a call apart', () => {
  const turn = told(
    { type: 'text-delta', text: 'I will ' },
    { type: 'text-delta', text: 'look.' },
    { type: 'tool-start', call },
    { type: 'tool-output', callId: 'c1', text: 'a.t' },
    { type: 'tool-output', callId: 'c1', text: 'xt' },
    { type: 'tool-end', call, result: ok },
    { type: 'text-delta', text: 'One file.' },
    ending('One file.'),
  );
  expect(turn.parts).toMatchObject([
    { kind: 'text', text: 'I will look.' },
    { kind: 'tool', output: 'a.txt', result: ok },
    { kind: 'text', text: 'One file.' },
  ]);
  expect(turn.state).toBe('ended');
});

it('drops what was streamed since the last call when the model is asked again', () => {
  const turn = told(
    { type: 'tool-start', call },
    { type: 'tool-end', call, result: ok },
    { type: 'text-delta', text: 'One fi' },
    { type: 'text-restart', reason: 'the connection was lost', waitMs: 10 },
    { type: 'text-delta', text: 'One file.' },
  );
  expect(turn.parts.map((part) => ('text' in part ? part.text : part.kind))).toEqual([
    'tool',
    'the connection was lost',
    'One file.',
  ]);
});

it('shows why a turn was ended, which is not streamed, once', () => {
  const turn = told(
    { type: 'text-delta', text: 'I will look.' },
    { type: 'tool-start', call },
    { type: 'tool-end', call, result: ok },
    ending('I will look.\n\n(the run was ended)', 'stopped'),
  );
  expect(turn.parts.at(-1)).toMatchObject({ kind: 'text', text: '(the run was ended)' });
});

it('a question is there once, and then says how it ended', () => {
  const question = { id: 'q-1', turnId: 'turn-1', askedAt: '' };
  const resolution = { ending: 'answered', answer: { scope: 'once' }, by: 'owner', place: 'chat', at: '' } as const;
  const turn = told(
    { type: 'permission-request', question },
    { type: 'permission-request', question },
    { type: 'permission-resolved', questionId: 'q-1', resolution },
  );
  expect(turn.parts).toEqual([{ kind: 'question', id: 'q-1', question, resolution }]);
});

it('a turn of the transcript becomes the same as one that was streamed', () => {
  const events = [
    { type: 'tool-start', call },
    { type: 'tool-end', call, result: ok },
    { type: 'text-delta', text: 'One file.' },
    { type: 'run-end', result: { success: true, stage: 'answered', result: 'One file.' } },
  ];
  const replayed = replayedTurn({
    number: 3,
    turnId: 'turn-1',
    input: 'list the files',
    events: events.map((event) => ({ event, waitMs: 0 })),
  });
  const { number, ...rest } = replayed;
  expect(number).toBe(3);
  expect(rest.parts).toEqual(told(...(events as TurnEvent[])).parts);
});
