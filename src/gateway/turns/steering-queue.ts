// The messages that wait to join one turn. Each ends once: it joined the turn, or the turn ended without it.
import type { Steering, SteeringMessage } from '../../pipeline/steering.ts';

/** `joined`: it is in the transcript. `ended`: the turn takes nothing more, so it can be asked as the next question. */
export type SteeringOutcome = 'joined' | 'ended';

export interface SteeringQueue extends Steering {
  add(message: SteeringMessage): Promise<SteeringOutcome>;
  joined(messageId: string): void;
  /** The turn has ended: nothing joins it any more. */
  end(): void;
}

export function createSteeringQueue(): SteeringQueue {
  let waiting: SteeringMessage[] = [];
  let isOver = false;
  const settle = new Map<string, (outcome: SteeringOutcome) => void>();

  return {
    get isWaiting() {
      return waiting.length > 0;
    },
    take() {
      const taken = waiting;
      waiting = [];
      return taken;
    },
    async add(message) {
      if (isOver) return 'ended';
      const { promise, resolve } = Promise.withResolvers<SteeringOutcome>();
      settle.set(message.id, resolve);
      waiting.push(message);
      return promise;
    },
    joined(messageId) {
      settle.get(messageId)?.('joined');
      settle.delete(messageId);
    },
    end() {
      isOver = true;
      waiting = [];
      for (const resolve of settle.values()) resolve('ended');
      settle.clear();
    },
  };
}
