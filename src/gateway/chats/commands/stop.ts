import type { ChatCommand } from './command.ts';

export const stopCommand: ChatCommand = {
  name: 'stop',
  usage: '/stop',
  about: 'cancel what is running',
  isForOwner: false,
  isRepeatable: true,
  isImmediate: true,
  async run({ stop, request: { chat } }) {
    return (await stop(chat)) ? '⏹ Stopped.' : 'Nothing is running.';
  },
};
