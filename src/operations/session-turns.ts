// The turns of a session that a replay is about.
import type { Damage } from '../sessions/export/exporter.ts';
import type { HistoryTurn } from '../sessions/history.ts';
import type { Sessions } from '../sessions/sessions.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import type { FoundSession } from './find-sessions.ts';
import { POSITIVE } from './schemas.ts';

const NAMED_LINES = 20;

/** The part of a schema that chooses turns. */
export const TURN_CHOICE = {
  turn: { ...POSITIVE, description: 'only this turn, counted from 1' },
  from: { ...POSITIVE, description: 'from this turn on' },
} as const;

/** The part of a schema that chooses the newest turns, a page at a time. */
export const NEWEST_TURNS = {
  last: { ...POSITIVE, description: 'only so many of the newest turns' },
  to: { ...POSITIVE, description: 'up to this turn' },
} as const;

export interface TurnChoice {
  turn?: number;
  from?: number;
  last?: number;
  to?: number;
  signal: AbortSignal;
  /** A turn before those that were asked for. */
  onSkipped?(turn: HistoryTurn): void;
  /** Called at the end, when lines could not be read. */
  onDamage(damage: Damage): void;
}

/** The turns that were asked for. Throws TURN_OUT_OF_RANGE when the last one was read and there was none of them. */
export async function* chosenTurns(
  sessions: Pick<Sessions, 'history'>,
  { sessionKey, sessionId }: FoundSession,
  { turn, from, last, to, signal, onSkipped, onDamage }: TurnChoice,
): AsyncGenerator<HistoryTurn> {
  if (turn !== undefined && from !== undefined)
    throw new CodedError('INVALID_INPUT', 'turn and from exclude each other: give one of them');
  const damage: Damage = { count: 0, lines: [] };
  const first = turn ?? from ?? 1;
  const end = turn ?? to;
  /** The newest ones so far, where only those are wanted. */
  const newest: HistoryTurn[] = [];
  let count = 0;
  for await (const item of sessions.history(sessionId)) {
    signal.throwIfAborted();
    if (item.kind === 'damaged') {
      damage.count += 1;
      if (damage.lines.length < NAMED_LINES) damage.lines.push(item.line);
    }
    if (item.kind !== 'turn') continue;
    count = item.turn.number;
    if (count < first) onSkipped?.(item.turn);
    else if (last === undefined) yield item.turn;
    else newest.push(item.turn);
    const dropped = newest.length > (last ?? 0) ? newest.shift() : undefined;
    if (dropped) onSkipped?.(dropped);
    if (count === end) break;
  }
  yield* newest;
  if (damage.count > 0) onDamage(damage);
  if (count >= first || (turn === undefined && from === undefined)) return;
  const has = count === 0 ? 'no turn yet' : count === 1 ? 'one turn' : `turns 1 to ${count}`;
  throw new CodedError('TURN_OUT_OF_RANGE', `turn ${first} is out of range: "${sessionKey}" has ${has}`);
}
