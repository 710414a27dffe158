import type { ChatCommand, Stopped } from './command.ts';

const ANSWERS: Record<Stopped, string> = {
  stopped: '⏹ Stopped.',
  nothing: 'Nothing is running.',
  'of-another': 'Only the owner, or the person who asked for it, can stop what is running.',
};

export const stopCommand: ChatCommand = {
  name: 'stop',
  usage: '/stop',
  about: 'cancel what is running',
  isForOwner: false,
  isRepeatable: true,
  isImmediate: true,
  async run({ stop, request }) {
    return ANSWERS[await stop(request)];
  },
};
