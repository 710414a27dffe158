import type { ChatCommand } from './command.ts';

export const denyCommand: ChatCommand = {
  name: 'deny',
  usage: '/deny [question]',
  about: 'refuse what is asked for',
  isForOwner: true,
  isRepeatable: true,
  isImmediate: true,
  async run({ argument, questions, request: { chat, isOwner, message } }) {
    const by = message.sender.name ?? message.sender.id;
    return questions.answer({ chat, isOwner, id: argument || undefined, scope: undefined, by });
  },
};
