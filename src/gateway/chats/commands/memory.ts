import type { ChatCommand } from './command.ts';

export const memoryCommand: ChatCommand = {
  name: 'memory',
  usage: '/memory [on|off]',
  about: 'whether this conversation is remembered, or change it',
  isForOwner: true,
  isRepeatable: true,
  isImmediate: false,
  async run({ argument, settings, choices, session, sessionKey, request: { chat } }) {
    if (argument === 'on' || argument === 'off') {
      await choices.change(chat, { memory: argument === 'on' });
      return argument === 'on'
        ? 'Memory is on: older parts of this conversation are summarised, and its turns can be found later.'
        : 'Memory is off: nothing more of this conversation is summarised. What is remembered already stays.';
    }
    if (argument !== '') return `\`/memory ${argument}\` is not accepted: \`/memory on\` or \`/memory off\` is.`;
    const { memory: chosen } = await choices.get(chat);
    const { memory: usual } = (await settings(chat)).turn;
    const isOn = chosen ?? usual ?? (await session(sessionKey))?.memoryEnabled ?? false;
    return `Memory is ${isOn ? 'on' : 'off'}. \`/memory ${isOn ? 'off' : 'on'}\` changes it.`;
  },
};
