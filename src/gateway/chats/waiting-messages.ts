// The messages of chats that wait for their turn: in the lanes of this process, or, where several gateways share the storage, in the
// mailbox alone.
import type { ChatKey } from '../../vocabulary/chat-name.ts';
import type { ChatMessage } from './chat.ts';

export interface WaitingMessages {
  /** They wait in this process: looking costs nothing. */
  readonly isHere: boolean;
  /** The message was stored, and was not known before. */
  add(message: ChatMessage, received: 'claimed' | 'queued'): Promise<void>;
  countIn(chat: ChatKey): Promise<number>;
  /** Finishes the matching ones without a turn. Returns how many. */
  discard(chat: ChatKey, isMeant: (message: ChatMessage) => boolean): Promise<number>;
  /** Those that could join the turn of the chat that runs here, in order. They wait until they are finished and dropped. */
  couldJoin(chat: ChatKey): Promise<readonly ChatMessage[]>;
  /** They were finished with the turn that they joined. */
  drop(chat: ChatKey, messages: readonly ChatMessage[]): void;
  /** The place of the chat's batch is given to others while this is waited for. */
  whileWaiting<T>(chat: ChatKey, wait: () => Promise<T>): Promise<T>;
}

/** A turn of a chat that another gateway runs. */
export interface TurnElsewhere {
  messages: readonly ChatMessage[];
  stop(): void;
}
