// What the parts of the running gateway share: a message with what is known about it, and what can be set.

import type { Channel, IncomingMessage } from '../../channels/channel.ts';
import type { Mode } from '../../config/mode.ts';
import type { OutboxDraft } from '../../storage/mailbox.ts';
import type { BotKey, ChatKey } from '../../vocabulary/chat-name.ts';
import type { AskRequest } from '../gateway.ts';

/** Whether somebody may write here. `isOwner`: may also permit what needs permission; absent: so in a direct chat. */
export type Admission = { allowed: true; isOwner?: boolean } | { allowed: false; reply?: string };

/** Decides about the sender of a message, before anything else is done with it. */
export type Admit = (message: IncomingMessage, bot: BotKey) => Promise<Admission>;

/** How the turns of a bot are asked. */
export interface BotSettings {
  turn: Pick<
    AskRequest,
    'provider' | 'profileId' | 'model' | 'withTools' | 'toolAllow' | 'toolMaxSteps' | 'memory' | 'caps'
  > & { mode: Mode };
  /** Whether it answers in groups, when it is addressed there. */
  groups: boolean;
}

export interface ChatLimits {
  /** A turn begins when nobody has written for so long… */
  debounceMs: number;
  /** …and at the latest so long after the first message. */
  debounceMaxMs: number;
  /** Turns at the same time, over all chats. */
  concurrentTurns: number;
  /** Messages of one chat that may wait; more are refused with a word. */
  waitingMessages: number;
  /** Messages joined into one turn. */
  joinedMessages: number;
  /** Of a file that is taken. */
  fileBytes: number;
  /** A question without an answer is a no after so long. */
  approvalMs: number;
  /** Quick answers send no message about progress. */
  progressAfterMs: number;
  progressEveryMs: number;
  /** A start waits so long for platforms that cannot be reached. */
  connectMs: number;
  /** Ids are remembered so long against redelivery. */
  rememberMs: number;
  /** What could not be sent can be sent again so long. */
  keepDeadLettersMs: number;
}

export const DEFAULT_LIMITS: ChatLimits = {
  debounceMs: 400,
  debounceMaxMs: 2_000,
  concurrentTurns: 8,
  waitingMessages: 100,
  joinedMessages: 30,
  fileBytes: 20 * 1024 * 1024,
  approvalMs: 10 * 60_000,
  progressAfterMs: 2_000,
  progressEveryMs: 1_500,
  connectMs: 10_000,
  rememberMs: 14 * 24 * 60 * 60_000,
  keepDeadLettersMs: 30 * 24 * 60 * 60_000,
};

/** A message of an admitted person. */
export interface ChatMessage {
  chat: ChatKey;
  message: IncomingMessage;
  isOwner: boolean;
}

/** What is kept of it in the inbox. */
export function bodyOf({ message, isOwner }: ChatMessage): string {
  return JSON.stringify({ message, isOwner });
}

export function chatMessageOf(chat: ChatKey, body: string): ChatMessage {
  return { chat, ...(JSON.parse(body) as Omit<ChatMessage, 'chat'>) };
}

/** What is kept of a message that is not taken, until that is said: the words for it. */
export function refusedBody(drafts: readonly OutboxDraft[]): string {
  return JSON.stringify({ drafts });
}

/** Undefined for a message of an admitted person. */
export function refusalIn(body: string): OutboxDraft[] | undefined {
  const { message, drafts = [] } = JSON.parse(body) as { message?: IncomingMessage; drafts?: OutboxDraft[] };
  return message ? undefined : drafts;
}

/** A text that no other chat has. */
export function nameOf({ channel, account, chatId, threadId }: ChatKey): string {
  return JSON.stringify([channel, account, chatId, ...(threadId === undefined ? [] : [threadId])]);
}

export function botName({ channel, account }: BotKey): string {
  return account === 'default' ? channel : `${channel}:${account}`;
}

/** A line for the person running this: of a chat where one is named. Never what people write. */
export type ChatLog = (text: string, about?: { level?: 'info' | 'warn'; event?: 'turn'; chat?: ChatKey }) => void;

export type FindChannel = (bot: BotKey) => Channel | undefined;
