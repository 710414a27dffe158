// The contract of the mailbox: what came in over channels and what must go out. The inbox makes a message be handled once, the
// outbox keeps a reply until the platform has it; one transaction joins the two, so no kill falls between them.
//
// A queued message is handled by the gateway that has claimed it. The claim is a lease: it stands under the name and token of a
// lock that the gateway holds (its renewal is the lock's), and is void once that lock is released or lost. A chat has one
// claimant at a time, so its messages are handled in order also where several gateways share the mailbox.

import type { BotKey, ChatKey } from '../vocabulary/chat-name.ts';
import type { Fence } from './locks.ts';

export interface InboxMessage {
  chat: ChatKey;
  /** The platform's id, unique within channel and account. */
  id: string;
  /** The order within the chat. */
  order: number;
  receivedAt: number;
  /** The channel's message, as JSON. */
  body: string;
  /** Who was admitted with it: kept as one of the chat's people. */
  from?: ChatPerson;
}

export type MessageKey = Pick<InboxMessage, 'chat' | 'id'>;

/** Somebody who wrote in a chat and was admitted. */
export interface ChatPerson {
  id: string;
  chatKind: 'direct' | 'group';
}

export interface UnfinishedMessage extends Omit<InboxMessage, 'from'> {
  /** The turn that had begun to handle it when the process ended. */
  turnId?: string;
}

export interface OutboxDraft {
  /** Unique; the idempotency key on platforms that have one. The same key again changes nothing. */
  key: string;
  chat: ChatKey;
  /** The channel's message, as JSON. */
  body: string;
}

export interface OutboxMessage extends OutboxDraft {
  attempts: number;
  dueAt: number;
  lastError?: string;
}

export interface DeadLetter extends OutboxMessage {
  diedAt: number;
}

/**
 * `claimed`: it is new and this gateway's to handle. `queued`: it is new, and its chat has messages that this gateway has not
 * claimed; whoever claims the chat gets it. `known`: this id was received before, finished or not.
 */
export type Received = 'claimed' | 'queued' | 'known';

export interface MailboxCounts {
  /** Received and not finished. */
  inbox: number;
  /** Waiting to be sent. */
  outbox: number;
  dead: number;
}

export interface Mailbox {
  /** Durable when it resolves. `claimant` is the fence of a lock that the caller holds. Safe to call many at once. */
  receive(claimant: Fence, message: InboxMessage): Promise<Received>;
  /**
   * Claims the unfinished messages of one chat, or of all chats of these bots, and returns those that were not this claimant's
   * before, in order within each chat. A chat with a message under another claim that is not void is left alone as a whole.
   */
  claim(claimant: Fence, where: { chat: ChatKey } | { bots: readonly BotKey[] }): Promise<UnfinishedMessage[]>;
  /** What is not finished, of one chat or of all, in order within each chat, whoever has claimed it. */
  unfinished(chat?: ChatKey): Promise<UnfinishedMessage[]>;
  /**
   * Durable when it resolves: these messages are being handled by this turn. False, and nothing is changed: one of them is not
   * this claimant's.
   */
  begin(claimant: Fence, messages: readonly MessageKey[], turnId: string): Promise<boolean>;
  /**
   * The messages are handled and the replies are to be sent: both or neither. False, and nothing is changed: one of them is
   * somebody else's.
   */
  finish(
    claimant: Fence,
    messages: readonly MessageKey[],
    replies: readonly OutboxDraft[],
    now: number,
  ): Promise<boolean>;

  /** Durable when it resolves. A key that is known changes nothing. */
  enqueue(drafts: readonly OutboxDraft[], now: number): Promise<void>;
  /**
   * The first waiting message of each chat whose time has come, oldest first; of one bot or of all. A wait that began later than
   * now was made by a clock that has been set back since: it is over.
   */
  due(now: number, limit: number, bot?: BotKey): Promise<OutboxMessage[]>;
  /** When the next one will be due; undefined when nothing waits. */
  nextDueAt(bot?: BotKey): Promise<number | undefined>;
  /** A kill does not undo it; after a power cut it may be sent again. */
  sent(key: string, messageId: string, now: number): Promise<void>;
  retryAt(key: string, dueAt: number, error: string, now: number): Promise<void>;
  /** Nothing of this bot is due before then: the platform said so. */
  holdBack(bot: BotKey, until: number, now: number): Promise<void>;
  /** Given up: the chat's next message is not held up by it. */
  die(key: string, error: string, now: number): Promise<void>;
  deadLetters(limit: number): Promise<DeadLetter[]>;
  /** Sends a dead letter again (all of them without a key), behind what waits in its chat. Returns how many. */
  revive(key: string | undefined, now: number): Promise<number>;
  counts(): Promise<MailboxCounts>;
  /** Everyone who was admitted there, also long ago. */
  people(chat: ChatKey): Promise<ChatPerson[]>;
  /** What the people of a chat have chosen for it, as JSON; undefined when nothing. */
  choices(chat: ChatKey): Promise<string | undefined>;
  /** Read, changed and written without another process in between; durable when it resolves. `change` may be called again. */
  changeChoices(chat: ChatKey, change: (current: string | undefined) => string): Promise<void>;
  /**
   * Forgets messages that were handled or sent, and dead letters, so long ago; ids are kept at least that long against
   * redelivery. What ended later than now, by a clock that has been set back since, ended now. At most so many of each, in
   * one short transaction. Returns the most it forgot of any.
   */
  prune(ages: { handledMs: number; deadMs: number }, limit: number, now: number): Promise<number>;
}
