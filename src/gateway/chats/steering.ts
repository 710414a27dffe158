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
  /** What waits in the chat, in order. */
  waiting(): readonly ChatMessage[];
  /** As the model reads it. */
  textOf(message: ChatMessage): string;
  steer(turnId: string, message: SteeringMessage): Promise<unknown>;
  newId(prefix: string): string;
}

export interface ChatSteering {
  /** Called when something waits that did not before. */
  offer(): void;
  /** Called with every event of the turn. Returns whether a message of the chat joined the turn with it. */
  tell(event: RunEvent): boolean;
  /** Those that have joined the turn. */
  readonly joined: readonly ChatMessage[];
}

export function createChatSteering({ messages, waiting, textOf, steer, newId }: ChatSteeringOptions): ChatSteering {
  const [first] = messages;
  const offered = new Map<ChatMessage, string>();
  const joined: ChatMessage[] = [];
  let turnId: string | undefined;

  function offer(): void {
    if (turnId === undefined || !first) return;
    for (const message of waiting()) {
      // What comes after it waits too: messages keep their order.
      if (!mayJoin(first, message)) return;
      if (offered.has(message)) continue;
      const id = newId('steer');
      offered.set(message, id);
      // A turn that takes nothing more leaves the message where it waits.
      void steer(turnId, { id, text: textOf(message), origin: message.message.id }).catch(() => {});
    }
  }

  return {
    joined,
    offer,
    tell(event) {
      if (event.type === 'run-start') {
        turnId = event.turnId;
        offer();
      }
      if (event.type !== 'steered') return false;
      const taken = [...offered].find(([, id]) => id === event.message.id)?.[0];
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
