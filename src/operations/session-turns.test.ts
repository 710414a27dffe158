import { expect, it } from 'vitest';
import type { HistoryTurn } from '../sessions/history.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { FoundSession } from './find-sessions.ts';
import { chosenTurns, type TurnChoice } from './session-turns.ts';

const session = { sessionKey: 'main', sessionId: 'session-1', isCurrent: true } as FoundSession;
const sessions = {
  async *history() {
    for (let number = 1; number <= 5; number += 1) yield { kind: 'turn', turn: { number } as HistoryTurn };
  },
} as unknown as Pick<Sessions, 'history'>;

async function chosen(choice: Partial<TurnChoice>): Promise<number[]> {
  const options = { signal: new AbortController().signal, onDamage() {}, ...choice };
  const turns = await Array.fromAsync(chosenTurns(sessions, session, options));
  return turns.map(({ number }) => number);
}

it('the newest turns are read a page at a time', async () => {
  expect(await chosen({ last: 2 })).toEqual([4, 5]);
  expect(await chosen({ last: 2, to: 3 })).toEqual([2, 3]);
  expect(await chosen({ last: 2, to: 1 })).toEqual([1]);
  expect(await chosen({ last: 9 })).toEqual([1, 2, 3, 4, 5]);
  expect(await chosen({ to: 2 })).toEqual([1, 2]);
  expect(await chosen({ from: 3, last: 9 })).toEqual([3, 4, 5]);
});
