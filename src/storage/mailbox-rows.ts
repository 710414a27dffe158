// Rows of the mailbox's tables, and what they mean.
import type { ChatKey } from '../vocabulary/chat-name.ts';
import type { OutboxMessage, UnfinishedMessage } from './mailbox.ts';

/** A topic is a chat of its own in every table. No platform has this sign in its ids. */
const BEFORE_TOPIC = '\u001f';

/** The columns have the same names in every database. */
type Row = Readonly<Record<string, unknown>>;

export function partsOf({ channel, account, chatId, threadId }: ChatKey): [string, string, string] {
  return [channel, account, threadId === undefined ? chatId : `${chatId}${BEFORE_TOPIC}${threadId}`];
}

export function chatOf(row: Row): ChatKey {
  const [chatId = '', ...topic] = String(row.chat).split(BEFORE_TOPIC);
  const chat = { channel: String(row.channel), account: String(row.account), chatId };
  return topic.length === 0 ? chat : { ...chat, threadId: topic.join(BEFORE_TOPIC) };
}

export function unfinishedOf(row: Row): UnfinishedMessage {
  return {
    chat: chatOf(row),
    id: String(row.id),
    order: Number(row.position),
    receivedAt: Number(row.received_at),
    body: String(row.body),
    ...(row.turn !== null && { turnId: String(row.turn) }),
  };
}

export function outboxOf(row: Row): OutboxMessage {
  return {
    key: String(row.key),
    chat: chatOf(row),
    body: String(row.body),
    attempts: Number(row.attempts),
    dueAt: Number(row.due_at),
    ...(row.last_error !== null && { lastError: String(row.last_error) }),
  };
}
