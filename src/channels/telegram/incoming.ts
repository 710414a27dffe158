// An update of Telegram as a message of the contract. What is not for a bot to answer becomes undefined: edits (what was
// asked stays asked), posts of channels, service messages, other bots.
import type { CallbackQuery, Message, Update, User } from 'grammy/types';
import type { IncomingMessage } from '../channel.ts';
import type { Bot } from './bot.ts';
import { filesOf } from './incoming-files.ts';
import { readText } from './incoming-text.ts';
import { messageIdOf } from './message-id.ts';

export function incomingOf(update: Update, bot: Bot, now: () => number): IncomingMessage | undefined {
  if (update.callback_query) return pressOf(update.callback_query, update.update_id, now);
  return update.message ? messageOf(update.message, update.update_id, bot) : undefined;
}

function messageOf(message: Message, order: number, bot: Bot): IncomingMessage | undefined {
  const sender = senderOf(message);
  const files = filesOf(message);
  const { text, isMentioned } = readText(message, bot);
  if (!sender || message.chat.type === 'channel') return undefined;
  if (text === '' && files.length === 0 && !isMentioned) return undefined;
  const answered = answeredBy(message);
  const isDirect = message.chat.type === 'private';
  return {
    id: messageIdOf(message.chat.id, message.message_id),
    chatId: String(message.chat.id),
    ...threadOf(message),
    chatKind: isDirect ? 'direct' : 'group',
    isAddressed: isDirect || isMentioned || answered?.from?.id === bot.id,
    sender,
    order,
    sentAt: message.date * 1000,
    text,
    files,
    ...(isPassedOn(message) ? { isForwarded: true as const } : {}),
    ...(answered ? { replyTo: messageIdOf(message.chat.id, answered.message_id) } : {}),
  };
}

function pressOf(query: CallbackQuery, order: number, now: () => number): IncomingMessage | undefined {
  const { message, data } = query;
  if (!message || data === undefined || message.chat.type === 'channel') return undefined;
  return {
    id: `cb:${query.id}`,
    chatId: String(message.chat.id),
    ...('is_topic_message' in message ? threadOf(message) : {}),
    chatKind: message.chat.type === 'private' ? 'direct' : 'group',
    isAddressed: true,
    sender: personOf(query.from),
    order,
    sentAt: now(),
    text: '',
    files: [],
    pressed: { value: data, messageId: messageIdOf(message.chat.id, message.message_id) },
  };
}

/** One's own words may be passed on as one's own. */
function isPassedOn({ forward_origin: origin, from }: Message): boolean {
  return origin !== undefined && !(origin.type === 'user' && origin.sender_user.id === from?.id);
}

/** Anonymous administrators all write as one and the same bot: it is their chat that is known, never that bot's id. */
function senderOf(message: Message): IncomingMessage['sender'] | undefined {
  const { sender_chat: chat, from } = message;
  if (chat) return { id: String(chat.id), ...('title' in chat && chat.title ? { name: chat.title } : {}) };
  return from && !from.is_bot ? personOf(from) : undefined;
}

function personOf(user: User): IncomingMessage['sender'] {
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ') || user.username;
  return { id: String(user.id), ...(name ? { name } : {}) };
}

/** Outside of topics `message_thread_id` is set for plain replies, and cannot be written to. */
function threadOf(message: Pick<Message, 'is_topic_message' | 'message_thread_id'>): { threadId?: string } {
  return message.is_topic_message && message.message_thread_id !== undefined
    ? { threadId: String(message.message_thread_id) }
    : {};
}

/** In a topic every message "answers" the one that made the topic. */
function answeredBy(message: Message): Message['reply_to_message'] {
  const answered = message.reply_to_message;
  return answered && !answered.forum_topic_created ? answered : undefined;
}
