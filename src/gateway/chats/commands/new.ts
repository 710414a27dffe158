import type { ChatCommand } from './command.ts';

export const newCommand: ChatCommand = {
  name: 'new',
  usage: '/new',
  about: 'start another conversation',
  isForOwner: false,
  isRepeatable: false,
  isImmediate: false,
  async run({ renew, sessionKey, request: { message, isOwner }, signal }) {
    if (message.chatKind === 'group' && !isOwner)
      return 'In a group only the owner can start another conversation: it is everybody’s.';
    await renew(sessionKey, signal);
    return 'A new conversation. What was said before is kept; the model sees of it only what memory keeps.';
  },
};
