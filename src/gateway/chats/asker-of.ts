// Who asks with messages of a chat, and so whose memory their turn has. A group is read by everybody in it: also the owner's
// questions there have only the memory of the group.
import type { Asker } from '../../vocabulary/asker.ts';
import { type ChatKey, chatName } from '../../vocabulary/chat-name.ts';
import type { MemoryScope } from '../../vocabulary/memory-scope.ts';
import type { ChatMessage } from './chat.ts';

export function askerOf(chat: ChatKey, messages: readonly ChatMessage[]): Asker {
  return { kind: 'chat', chat: chatName(chat), scope: scopeOf(chat, messages) };
}

function scopeOf({ channel, account, chatId }: ChatKey, messages: readonly ChatMessage[]): MemoryScope {
  const chat = chatName({ channel, account, chatId });
  const [first] = messages;
  if (!first || messages.some(({ message }) => message.chatKind === 'group')) return `chat:${chat}`;
  if (messages.every(({ isOwner }) => isOwner)) return 'owner';
  return `person:${chatName({ channel, account, chatId: first.message.sender.id })}`;
}
