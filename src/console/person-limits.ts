// How much an invited person may have going at once, so that one of them cannot take the gateway from the others: turns that have not
// ended, and calls that have not been answered, which are also the messages that wait to join a turn. Counted over all gateways of the storage.
import { startTurn } from '../operations/start-turn.ts';
import type { Limits, Places } from '../storage/limits.ts';
import { CodedError } from '../vocabulary/coded-error.ts';

export interface PersonLimits {
  /** Rejects with TOO_MANY_TURNS or TOO_MANY_CALLS before the work begins. */
  run<T>(person: string, operation: string, work: () => Promise<T>): Promise<T>;
}

export interface PersonLimitsOptions {
  limits: Pick<Limits, 'places'>;
  /** Resolves when the turn has ended. */
  turnEnded(id: string): Promise<void>;
  newId(prefix: string): string;
}

const MOST_TURNS = 4;
const MOST_CALLS = 24;

export function createPersonLimits({ limits, turnEnded, newId }: PersonLimitsOptions): PersonLimits {
  const turns = limits.places('turns-of-person', MOST_TURNS);
  const calls = limits.places('calls-of-person', MOST_CALLS);

  /** Undefined when all places are occupied. */
  async function enter(places: Places, person: string): Promise<(() => Promise<void>) | undefined> {
    const place = newId('place');
    return (await places.enter(person, place)) ? () => places.leave(person, place) : undefined;
  }

  async function startCounted<T>(person: string, work: () => Promise<T>): Promise<T> {
    const leave = await enter(turns, person);
    if (!leave)
      throw new CodedError(
        'TOO_MANY_TURNS',
        `${MOST_TURNS} of your questions are being answered: wait for one of them, or stop it`,
      );
    try {
      const started = await work();
      const { turn } = started as { turn: string };
      void turnEnded(turn)
        .catch(() => {})
        .then(leave);
      return started;
    } catch (error) {
      await leave();
      throw error;
    }
  }

  return {
    async run(person, operation, work) {
      const leave = await enter(calls, person);
      if (!leave)
        throw new CodedError(
          'TOO_MANY_CALLS',
          `${MOST_CALLS} of your requests wait for their answer: try again in a moment`,
        );
      try {
        return await (operation === startTurn.name ? startCounted(person, work) : work());
      } finally {
        await leave();
      }
    },
  };
}
