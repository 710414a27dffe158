// How much an invited person may have going at once, so that one of them cannot take the gateway from the others: turns that have not
// ended, and calls that have not been answered, which are also the messages that wait to join a turn.
import { startTurn } from '../operations/start-turn.ts';
import { CodedError } from '../vocabulary/coded-error.ts';

export interface PersonLimits {
  /** Rejects with TOO_MANY_TURNS or TOO_MANY_CALLS before the work begins. */
  run<T>(person: string, operation: string, work: () => Promise<T>): Promise<T>;
}

export interface PersonLimitsOptions {
  /** Resolves when the turn has ended. */
  turnEnded(id: string): Promise<void>;
  mostTurns?: number;
  mostCalls?: number;
}

const MOST_TURNS = 4;
const MOST_CALLS = 24;

export function createPersonLimits({
  turnEnded,
  mostTurns = MOST_TURNS,
  mostCalls = MOST_CALLS,
}: PersonLimitsOptions): PersonLimits {
  const turns = createCounts();
  const calls = createCounts();

  async function startCounted<T>(person: string, work: () => Promise<T>): Promise<T> {
    if (turns.of(person) >= mostTurns)
      throw new CodedError(
        'TOO_MANY_TURNS',
        `${mostTurns} of your questions are being answered: wait for one of them, or stop it`,
      );
    const leave = turns.enter(person);
    try {
      const started = await work();
      const { turn } = started as { turn: string };
      void turnEnded(turn)
        .catch(() => {})
        .finally(leave);
      return started;
    } catch (error) {
      leave();
      throw error;
    }
  }

  return {
    async run(person, operation, work) {
      if (calls.of(person) >= mostCalls)
        throw new CodedError(
          'TOO_MANY_CALLS',
          `${mostCalls} of your requests wait for their answer: try again in a moment`,
        );
      const leave = calls.enter(person);
      try {
        return await (operation === startTurn.name ? startCounted(person, work) : work());
      } finally {
        leave();
      }
    },
  };
}

function createCounts() {
  const counts = new Map<string, number>();
  return {
    of: (name: string): number => counts.get(name) ?? 0,
    enter(name: string): () => void {
      counts.set(name, this.of(name) + 1);
      return () => {
        const left = this.of(name) - 1;
        if (left > 0) counts.set(name, left);
        else counts.delete(name);
      };
    },
  };
}
