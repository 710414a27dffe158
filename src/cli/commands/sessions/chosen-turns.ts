import type { Damage } from '../../../sessions/export/exporter.ts';
import type { HistoryTurn } from '../../../sessions/history.ts';
import type { Sessions } from '../../../sessions/sessions.ts';
import { type Terminal, UsageError } from '../../terminal.ts';
import { sayDamage } from './export.ts';
import type { FoundSession } from './find.ts';

export interface TurnChoice {
  /** Only this one, by its number. */
  turn?: number;
  /** This one and all after it. */
  from?: number;
  onSkipped?(turn: HistoryTurn): void;
}

/** The turns that were asked for; one that does not exist is wrong usage, known when the last one was read. */
export async function* chosenTurns(
  sessions: Sessions,
  { sessionKey, sessionId }: FoundSession,
  { turn, from, onSkipped }: TurnChoice,
  terminal: Terminal,
): AsyncGenerator<HistoryTurn> {
  const damage: Damage = { count: 0, lines: [] };
  const first = turn ?? from ?? 1;
  let count = 0;
  for await (const told of sessions.history(sessionId)) {
    terminal.signal.throwIfAborted();
    if (told.kind === 'damaged') {
      damage.count += 1;
      if (damage.lines.length < 20) damage.lines.push(told.line);
    }
    if (told.kind !== 'turn') continue;
    count = told.turn.number;
    if (count >= first) yield told.turn;
    else onSkipped?.(told.turn);
    if (count === turn) break;
  }
  if (damage.count > 0) sayDamage({ damage: [{ sessionId, ...damage }] }, terminal);
  if (count >= first) return;
  if (turn === undefined && from === undefined)
    return void terminal.err.write('there is no turn in this session yet\n');
  const flag = turn === undefined ? `--from ${from}` : `--turn ${turn}`;
  const has = count === 0 ? 'no turn yet' : count === 1 ? 'one turn' : `turns 1 to ${count}`;
  throw new UsageError(`${flag} is out of range: "${sessionKey}" has ${has}`);
}
