// The chats of the bot and what they hold.
import type { InlineKeyboardMarkup, Message, MessageEntity } from 'grammy/types';
import { ApiFailure, badRequest } from './api-failure.ts';

export interface Person {
  id: number;
  first_name: string;
  last_name?: string;
  username?: string;
}

/** A message of the bot, as it is shown now. */
export interface BotMessage {
  chatId: number;
  messageId: number;
  threadId?: number;
  text: string;
  entities: MessageEntity[];
  replyTo?: number;
  keyboard?: InlineKeyboardMarkup;
  /** Its file, and how it is shown. */
  file?: { kind: 'photo' | 'document'; name: string; content: Uint8Array };
  edits: number;
  sentAt: number;
}

export interface FakeChat {
  id: number;
  kind: 'private' | 'group' | 'supergroup';
  title?: string;
  person?: Person;
  isForum?: boolean;
}

interface Chat extends FakeChat {
  bot: BotMessage[];
  people: Map<number, Message>;
  isBlocked: boolean;
  movedTo?: number;
  threads: Set<number>;
  recentSends: number[];
}

export interface RateLimit {
  messages: number;
  perMs: number;
}

export function createChats({ rate, now }: { rate: RateLimit | undefined; now: () => number }) {
  const chats = new Map<number, Chat>();
  let lastMessageId = 100;

  function find(chatId: number | string): Chat {
    const chat = chats.get(Number(chatId));
    if (!chat) throw badRequest('chat not found');
    if (chat.movedTo !== undefined) {
      const description = 'Bad Request: group chat was upgraded to a supergroup chat';
      throw new ApiFailure(400, description, { migrate_to_chat_id: chat.movedTo });
    }
    if (chat.isBlocked) {
      const why = chat.kind === 'private' ? 'bot was blocked by the user' : `bot was kicked from the ${chat.kind} chat`;
      throw new ApiFailure(403, `Forbidden: ${why}`);
    }
    return chat;
  }

  return {
    /** Known from now on; the same chat again changes nothing. */
    add(chat: FakeChat): Chat {
      const known = chats.get(chat.id);
      if (known) return known;
      const made: Chat = { ...chat, bot: [], people: new Map(), isBlocked: false, threads: new Set(), recentSends: [] };
      chats.set(chat.id, made);
      return made;
    },
    find,
    get: (chatId: number) => chats.get(chatId),
    all: () => [...chats.values()],
    nextMessageId(): number {
      lastMessageId += 1;
      return lastMessageId;
    },
    /** Throws 429 when too much is sent to this chat. */
    countSend(chat: Chat): void {
      if (!rate) return;
      const recent = chat.recentSends.filter((at) => now() - at < rate.perMs);
      chat.recentSends = recent;
      if (recent.length >= rate.messages) {
        const seconds = Math.max(1, Math.ceil(((recent[0] ?? now()) + rate.perMs - now()) / 1000));
        throw new ApiFailure(429, `Too Many Requests: retry after ${seconds}`, { retry_after: seconds });
      }
      recent.push(now());
    },
    describe(chat: FakeChat): Message['chat'] {
      if (chat.kind === 'private') {
        const { first_name = 'Someone', last_name, username } = chat.person ?? {};
        return { id: chat.id, type: 'private', first_name, last_name, username };
      }
      const title = chat.title ?? 'A group';
      return chat.kind === 'group'
        ? { id: chat.id, type: 'group', title }
        : { id: chat.id, type: 'supergroup', title, ...(chat.isForum ? { is_forum: true as const } : {}) };
    },
  };
}

export type Chats = ReturnType<typeof createChats>;
