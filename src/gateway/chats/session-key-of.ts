import { createHash } from 'node:crypto';
import type { ChatKey } from '../../storage/mailbox.ts';

const LONGEST = 100;

/** The session of a chat. Two chats never share one: what a key may not hold is spelled as =XX, what is too long is hashed. */
export function sessionKeyOf({ channel, account, chatId }: ChatKey): string {
  const parts = account === 'default' ? [channel, chatId] : [channel, account, chatId];
  const key = parts.map((part) => part.replace(/[^A-Za-z0-9_.@+-]/gu, spelled)).join(':');
  if (key.length <= LONGEST) return key;
  const hash = createHash('sha256').update(key).digest('hex').slice(0, 32);
  return `${key.slice(0, LONGEST - 34)}==${hash}`;
}

function spelled(character: string): string {
  return [...Buffer.from(character)].map((byte) => `=${byte.toString(16).padStart(2, '0')}`).join('');
}
