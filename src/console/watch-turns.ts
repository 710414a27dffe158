// Every turn of the process, and of other gateways on the same storage, as events of the feed.
import { personOfTurn } from '../gateway/console-access/own-sessions.ts';
import type { TurnHub } from '../gateway/turns/turn-hub.ts';
import type { EventFeed } from './event-feed.ts';
import { shownEvent } from './shown-event.ts';

/** Returns what ends it. */
export function watchTurns(hub: TurnHub, feed: Pick<EventFeed, 'publish'>): () => void {
  return hub.watch({
    seesElsewhere: true,
    onEvent: (turn, number, event) => feed.publish(personOfTurn(turn), shownEvent(turn, number, event)),
    onEnd: (turn) =>
      feed.publish(personOfTurn(turn), {
        type: 'turn-ended',
        session: turn.sessionKey,
        turn: turn.id,
        ...(turn.parentId !== undefined && { parent: turn.parentId }),
        startedAt: turn.startedAt,
        endedAt: turn.endedAt,
        ...(turn.stage && { stage: turn.stage }),
      }),
  });
}
