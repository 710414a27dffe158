import { defineChatCommand } from './command.ts';

export const memoryCommand = defineChatCommand<'chat.show' | 'chat.setMemory'>({
  name: 'memory',
  usage: '/memory [on|off]',
  about: 'whether this conversation is remembered, or change it',
  isRepeatable: true,
  isImmediate: false,
  read(argument) {
    if (argument === '') return { operation: 'chat.show', input: {} };
    if (argument === 'on' || argument === 'off')
      return { operation: 'chat.setMemory', input: { memory: argument === 'on' } };
    return `\`/memory ${argument}\` is not accepted: \`/memory on\` or \`/memory off\` is.`;
  },
  render({ memory }, argument) {
    if (argument === '') return `Memory is ${memory ? 'on' : 'off'}. \`/memory ${memory ? 'off' : 'on'}\` changes it.`;
    return memory
      ? 'Memory is on: older parts of this conversation are summarised, and its turns can be found later.'
      : 'Memory is off: nothing more of this conversation is summarised. What is remembered already stays.';
  },
});
