import type { Asker } from './asker.ts';

/** A message from background work to a chat. */
export interface OutboundMessage {
  /** The same on every attempt: a key is sent only once. */
  key: string;
  /** `channel:chatId`. */
  chat: string;
  text: string;
  /** Decides whether the message may go to that chat. */
  asker: Asker;
}

/** `sent`: stored for the chat. `later`: cannot be stored now. `refused`: never, with what the owner can do about it. */
export type DeliveryOutcome = 'sent' | 'later' | { refused: string };

export type Deliver = (message: OutboundMessage) => Promise<DeliveryOutcome>;
