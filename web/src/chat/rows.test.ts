import { expect, it } from 'vitest';
import { rowsOf } from './rows.ts';
import { newTurn, type Question, type TurnEvent, withEvent } from './turn-view.ts';

const call = { id: 'c1', name: 'bash', args: { command: 'ls' }, source: 'model' };
const question = { id: 'q1', permission: { tool: 'bash' } } as unknown as Question;

it('a call that a person is asked about is marked until the answer', () => {
  const events: TurnEvent[] = [
    { type: 'tool-start', call },
    { type: 'permission-request', question },
  ];
  const asked = events.reduce((turn, event) => withEvent(turn, event), newTurn('t1', 'list'));
  const answered = withEvent(asked, {
    type: 'permission-resolved',
    questionId: 'q1',
    resolution: { answer: 'allow' } as never,
  });
  const marks = (turn: typeof asked) => rowsOf([turn]).flatMap((row) => (row.kind === 'part' ? [row.isAsked] : []));
  expect(marks(asked)).toEqual([true, false]);
  expect(marks(answered)).toEqual([false, false]);
});

it('a message of files alone is a row', () => {
  const turn = { ...newTurn('t1', ''), files: [{ name: 'a.pdf' }] };
  expect(rowsOf([turn]).map(({ kind }) => kind)).toEqual(['question', 'end']);
  expect(rowsOf([newTurn('t2', '')]).map(({ kind }) => kind)).toEqual(['end']);
});
