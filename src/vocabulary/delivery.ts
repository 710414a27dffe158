import type { Asker } from './asker.ts';

/** A text for a chat from work in the background. */
export interface OutboundMessage {
  /** The same on every attempt; the same key again must not be sent twice. */
  key: string;
  /** `channel:chatId`. */
  chat: string;
  text: string;
  /** Decides whether it may go to that chat. */
  asker: Asker;
}

/** `sent`: stored for the chat. `later`: nobody is there to take it. `refused`: for good, and what the owner can do about it. */
export type DeliveryOutcome = 'sent' | 'later' | { refused: string };

export type Deliver = (message: OutboundMessage) => Promise<DeliveryOutcome>;
