// Continuing: the session's last turn came to no answer (the limit of steps, a cap, a failure, Ctrl-C, a kill). The model is sent
// that turn as far as it came, results included, and nothing else: it continues where it stopped.
import type { HistoryTurn } from '../sessions/history.ts';
import { CodedError } from '../vocabulary/coded-error.ts';

export class NothingToContinue extends CodedError<'NOTHING_TO_CONTINUE'> {}

/** Throws NothingToContinue when the last turn was answered, or there is none. */
export function turnToContinue(turns: readonly HistoryTurn[], sessionKey: string): string {
  const last = turns.at(-1);
  if (last?.turnId !== undefined && last.outcome !== 'answered') return last.turnId;
  const reason = last ? 'its last turn was answered' : 'it has no turn yet';
  throw new NothingToContinue(
    'NOTHING_TO_CONTINUE',
    `there is nothing to continue in session "${sessionKey}": ${reason}. Ask a question instead`,
  );
}
