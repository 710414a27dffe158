import { createHash } from 'node:crypto';
import type { ChatKey } from '../../vocabulary/chat-name.ts';

const LONGEST = 100;

/**
 * The session of a chat. Two chats never share one: what a key may not hold is spelled as =XX, what is too long is hashed. The
 * key of a topic always names the account: four parts are a topic, fewer are none.
 */
export function sessionKeyOf({ channel, account, chatId, threadId }: ChatKey): string {
  const chat = account === 'default' ? [channel, chatId] : [channel, account, chatId];
  const parts = threadId === undefined ? chat : [channel, account, chatId, threadId];
  const key = parts.map((part) => part.replace(/[^A-Za-z0-9_.@+-]/gu, spelled)).join(':');
  if (key.length <= LONGEST) return key;
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 32);
  return `${key.slice(0, LONGEST - 34)}==${hash}`;
}

function spelled(character: string): string {
  return [...Buffer.from(character)].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join('');
}
