// What people write while a turn of their chat runs joins that turn, as in the chat at a terminal. A message stays in the inbox until the turn that it joined is
// finished with it: a process that ends before leaves both to the next one, which learns from the transcript whether the answer covers it.

import type { RunEvent } from '../../pipeline/events.ts';
import { parseManualTrigger } from '../../pipeline/manual-trigger.ts';
import type { SteeringMessage } from '../../pipeline/steering.ts';
import type { ChatMessage } from './chat.ts';
import { readCommand } from './commands/all.ts';
import { isContinue, queuedText } from './continuing.ts';
import { belongTogether } from './lanes.ts';

export interface ChatSteeringOptions {
  /** What the turn answers. */
  messages: readonly ChatMessage[];
  /** Looks for what waits when the turn begins, and not only when something new does. */
  offersAtStart: boolean;
  /** What waits in the chat, in order. */
  waiting(): Promise<readonly ChatMessage[]>;
  /** As the model reads it. */
  textOf(message: ChatMessage): string;
  steer(turnId: string, message: SteeringMessage): Promise<unknown>;
  newId(prefix: string): string;
}

export interface ChatSteering {
  /** Called when something waits that did not before. Rejects when that cannot be read. */
  offer(): Promise<void>;
  /** Called with every event of the turn. Returns whether a message of the chat joined the turn with it. */
  tell(event: RunEvent): boolean;
  /** Those that have joined the turn. */
  readonly joined: readonly ChatMessage[];
}

export function createChatSteering({
  messages,
  offersAtStart,
  waiting,
  textOf,
  steer,
  newId,
}: ChatSteeringOptions): ChatSteering {
  const [first] = messages;
  /** By the id that the turn gives it. */
  const offered = new Map<string, ChatMessage>();
  const joined: ChatMessage[] = [];
  let turnId: string | undefined;
  let offersLater = offersAtStart;
  let offering = Promise.resolve();

  /** One after the other: none is offered twice. */
  function offer(): Promise<void> {
    if (turnId === undefined) offersLater = true;
    else offering = offering.catch(() => {}).then(offerAll);
    return offering;
  }

  async function offerAll(): Promise<void> {
    if (turnId === undefined || !first) return;
    const messages = await waiting();
    const known = new Set([...offered.values()].map(idOf));
    for (const message of messages) {
      // What comes after it waits too: messages keep their order.
      if (!mayJoin(first, message)) return;
      if (known.has(idOf(message))) continue;
      const id = newId('steer');
      offered.set(id, message);
      // A turn that takes nothing more leaves the message where it waits.
      void steer(turnId, { id, text: textOf(message), origin: idOf(message) }).catch(() => {});
    }
  }

  return {
    joined,
    offer,
    tell(event) {
      if (event.type === 'run-start') {
        turnId = event.turnId;
        // Without it the message is offered with the next one, or asked when the turn has ended.
        if (offersLater) void offer().catch(() => {});
      }
      if (event.type !== 'steered') return false;
      const taken = offered.get(event.message.id);
      if (taken) joined.push(taken);
      return taken !== undefined;
    },
  };
}

/** Files and forwarded messages taint a turn from its beginning, so they wait for a turn of their own. */
function mayJoin(first: ChatMessage, message: ChatMessage): boolean {
  const { text, files, isForwarded, pressed } = message.message;
  if (!belongTogether(first, message) || files.length > 0 || isForwarded || pressed) return false;
  if (readCommand(message) || isContinue(text) || queuedText(text) !== undefined) return false;
  return text.trim() !== '' && !parseManualTrigger(text);
}

function idOf({ message: { id } }: ChatMessage): string {
  return id;
}
