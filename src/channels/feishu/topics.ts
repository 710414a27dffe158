// A topic is named by its first message, and an answer to a message goes wherever that is: also into another chat. So a topic
// is written to only when it is known to be of the chat that was named: by what arrived, otherwise the platform is asked.
import type { FeishuApi } from './api.ts';

const REMEMBERED = 10_000;

export interface Topics {
  seen(chatId: string, threadId: string): void;
  /** Rejects when the platform does not tell. */
  isOf(chatId: string, threadId: string, signal: AbortSignal): Promise<boolean>;
}

export function createTopics(api: Pick<FeishuApi, 'call'>): Topics {
  const chats = new Map<string, string>();

  function seen(chatId: string, threadId: string): void {
    chats.delete(threadId);
    chats.set(threadId, chatId);
    if (chats.size > REMEMBERED) chats.delete(chats.keys().next().value as string);
  }

  return {
    seen,
    async isOf(chatId, threadId, signal) {
      const known = chats.get(threadId);
      if (known !== undefined) return known === chatId;
      const path = `im/v1/messages/${encodeURIComponent(threadId)}`;
      const { items } = await api.call({ method: 'GET', path, doing: 'looking up a topic' }, signal);
      const [first] = Array.isArray(items) ? (items as { chat_id?: unknown }[]) : [];
      if (typeof first?.chat_id !== 'string') return false;
      seen(first.chat_id, threadId);
      return first.chat_id === chatId;
    },
  };
}
