// The contract of the mailbox: incoming and outgoing messages of channels. The inbox makes sure that a message is handled once,
// the outbox keeps a reply until the platform has it; one transaction joins the two, so no kill falls between them.
//
// A queued message is handled by the gateway that has claimed it. The claim is a lease: it carries the name and token of a lock
// that the gateway holds and renews, and is void once that lock is released or lost. A chat has one claimant at a time, so its
// messages are handled in order even when several gateways share the mailbox.

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
  /** The admitted author: recorded as one of the chat's people. */
  from?: ChatPerson & { isOwner?: boolean };
  /** Handled apart from the chat's other messages: its receiver claims it, whichever gateway has those. */
  isApart?: boolean;
}

export type MessageKey = Pick<InboxMessage, 'chat' | 'id'>;

/** A person who wrote in a chat and was admitted. */
export interface ChatPerson {
  id: string;
  chatKind: 'direct' | 'group';
}

export interface UnfinishedMessage extends Omit<InboxMessage, 'from' | 'isApart'> {
  /** The turn that was handling the message when its process ended. */
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
 * `claimed`: the message is new and this gateway handles it. `queued`: it is new, and its chat has messages that this gateway
 * has not claimed; the gateway that claims the chat gets it. `known`: this id was received before, finished or not.
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
  /**
   * Durable when it resolves. `claimant` is the fence of a lock that the caller holds; without one the message is claimed by nobody. Safe
   * to call many at once.
   */
  receive(claimant: Fence | undefined, message: InboxMessage): Promise<Received>;
  /**
   * Claims the unfinished messages of one chat, or of all chats of these bots, and returns those that were not this claimant's
   * before, in order within each chat. A chat with a message under another valid claim is skipped as a whole. What a rejected
   * call may have claimed is returned by the next one.
   */
  claim(claimant: Fence, where: { chat: ChatKey } | { bots: readonly BotKey[] }): Promise<UnfinishedMessage[]>;
  /** Gives up the claim of messages whose turn has not begun. */
  release(claimant: Fence, messages: readonly MessageKey[]): Promise<void>;
  /** Unfinished messages of one chat or of all, in order within each chat, claimed by any gateway or none. */
  unfinished(chat?: ChatKey): Promise<UnfinishedMessage[]>;
  /** Those of one chat that were never claimed, or released since, in order. */
  unclaimed(chat: ChatKey): Promise<UnfinishedMessage[]>;
  /**
   * Records that this turn handles these messages; durable when it resolves. False, changing nothing: this claimant does not
   * have all of them, or one of them is finished.
   */
  begin(claimant: Fence, messages: readonly MessageKey[], turnId: string): Promise<boolean>;
  /**
   * Marks the messages as handled and queues the replies: both or neither. False, changing nothing: another claimant has one
   * of them.
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
  /** When the next message is due; undefined when nothing waits. */
  nextDueAt(bot?: BotKey): Promise<number | undefined>;
  /** Whether a message waits to be sent to this chat. */
  hasWaiting(chat: ChatKey): Promise<boolean>;
  /** The platform's id of a message that was sent; undefined while it waits, and when it is no longer known. */
  sentMessage(key: string): Promise<string | undefined>;
  /** Survives a kill; after a power cut the message may be sent again. */
  sent(key: string, messageId: string, now: number): Promise<void>;
  retryAt(key: string, dueAt: number, error: string, now: number): Promise<void>;
  /** Holds back every message of this bot until then, because the platform asked for it. */
  holdBack(bot: BotKey, until: number, now: number): Promise<void>;
  /** Gives the message up: the chat's next message does not wait for it. */
  die(key: string, error: string, now: number): Promise<void>;
  deadLetters(limit: number): Promise<DeadLetter[]>;
  /** Queues a dead letter again (without a key: all of them), after the waiting messages of its chat. Returns their number. */
  revive(key: string | undefined, now: number): Promise<number>;
  counts(): Promise<MailboxCounts>;
  /** Everybody who was ever admitted in this chat. */
  people(chat: ChatKey): Promise<ChatPerson[]>;
  /** The chats with a text that is kept: messages that wait, and dead letters. */
  chats(): Promise<ChatKey[]>;
  /** Removes every text of a chat. Waiting messages are neither handled nor sent; ids are kept against redelivery. */
  forgetChat(chat: ChatKey, now: number): Promise<void>;
  /** The settings that people chose for a chat, as JSON; undefined when there are none. */
  choices(chat: ChatKey): Promise<string | undefined>;
  /** Those of every chat that has any. */
  allChoices(): Promise<{ chat: ChatKey; choices: string }[]>;
  /** Reads, changes and writes without another process in between; durable when it resolves. `change` may be called again. */
  changeChoices(chat: ChatKey, change: (current: string | undefined) => string): Promise<void>;
  /**
   * Removes handled and sent messages, and dead letters, of these ages; ids are kept at least that long against redelivery. An
   * end in the future (the clock was set back since) counts as now. Removes at most `limit` of each, in one short transaction.
   * Returns the largest number that it removed of one kind.
   */
  prune(ages: { handledMs: number; deadMs: number }, limit: number, now: number): Promise<number>;
}
