import type { CommandContext } from '../../gateway/chats/commands/command.ts';

const CHAT = { channel: 'terminal', account: 'default', chatId: 'terminal' };

/** The chat of the person at the terminal, as the commands that chats share know one. */
export const terminalChat: Pick<CommandContext, 'request'> = {
  request: {
    chat: CHAT,
    isOwner: true,
    message: {
      id: 'typed',
      chatId: CHAT.chatId,
      chatKind: 'direct',
      isAddressed: true,
      sender: { id: 'owner' },
      order: 0,
      sentAt: 0,
      text: '',
      files: [],
    },
  },
};
