// The messages that wait to join one turn. Each ends once: it joined the turn, was taken back, or the turn ended without it. A message is known by its id:
// one that is added again is the same message. Where another process runs the turn, this is a copy that hands messages on and learns from the events.
import { nameOf } from '../../pipeline/attachments.ts';
import type { RunEvent } from '../../pipeline/events.ts';
import type { SteeredMessage, Steering, SteeringMessage } from '../../pipeline/steering.ts';

/** `joined`: it is in the transcript. `ended`: the turn takes nothing more, so it can be asked as the next question. */
export type SteeringOutcome = 'joined' | 'withdrawn' | 'ended';

export interface SteeringQueue extends Steering {
  add(message: SteeringMessage): Promise<SteeringOutcome>;
  /** Takes a message back. `unknown`: there is none with this id that can be taken back. */
  withdraw(messageId: string): Promise<SteeringOutcome | 'unknown'>;
  /** Called with each event of the turn. */
  see(event: RunEvent): void;
  /** The turn has ended: nothing joins it any more. */
  end(): void;
}

/** The process that runs the turn, where it is another one. */
export interface RemoteSteering {
  steer(message: SteeringMessage): void;
  /** Takes such a message back. */
  withdraw(messageId: string): void;
}

export interface SteeringQueueOptions {
  /** Tells the turn's readers. */
  publish(event: RunEvent): void;
  remote: RemoteSteering | undefined;
}

interface Known {
  outcome: Promise<SteeringOutcome>;
  settle(outcome: SteeringOutcome): void;
  canWithdraw: boolean;
}

export function createSteeringQueue({ publish, remote }: SteeringQueueOptions): SteeringQueue {
  let waiting: SteeringMessage[] = [];
  let isOver = false;
  /** Every message of the turn, by its id. */
  const known = new Map<string, Known>();

  function know({ id, canWithdraw }: Pick<SteeringMessage, 'id' | 'canWithdraw'>): Known {
    const before = known.get(id);
    if (before) return before;
    const { promise: outcome, resolve: settle } = Promise.withResolvers<SteeringOutcome>();
    const entry = { outcome, settle, canWithdraw: canWithdraw === true };
    known.set(id, entry);
    return entry;
  }

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
      const before = known.get(message.id);
      if (before) return before.outcome;
      if (isOver) return 'ended';
      const { outcome } = know(message);
      if (remote) remote.steer(message);
      else {
        waiting.push(message);
        publish({ type: 'steer-waiting', message: asShown(message) });
      }
      return outcome;
    },
    async withdraw(messageId) {
      const entry = known.get(messageId);
      if (!entry?.canWithdraw) return 'unknown';
      if (remote && !isOver) remote.withdraw(messageId);
      if (waiting.some(({ id }) => id === messageId)) {
        waiting = waiting.filter(({ id }) => id !== messageId);
        entry.settle('withdrawn');
        publish({ type: 'steer-withdrawn', messageId });
      }
      return entry.outcome;
    },
    see(event) {
      if (event.type === 'steer-waiting') know(event.message);
      else if (event.type === 'steered') know(event.message).settle('joined');
      else if (event.type === 'steer-withdrawn') know({ id: event.messageId }).settle('withdrawn');
    },
    end() {
      isOver = true;
      waiting = [];
      for (const { settle } of known.values()) settle('ended');
    },
  };
}

function asShown({ id, text, attachments = [], canWithdraw }: SteeringMessage): SteeredMessage {
  const attached = attachments.map(nameOf);
  return { id, text, ...(attached.length > 0 && { attached }), ...(canWithdraw && { canWithdraw }) };
}
