import type { Stopped } from '../asking-chat.ts';
import { defineChatCommand } from './command.ts';

const ANSWERS: Record<Stopped, string> = {
  stopped: '⏹ Stopped.',
  nothing: 'Nothing is running.',
  'of-another': 'Only the owner, or the person who asked for it, can stop what is running.',
};

export const stopCommand = defineChatCommand<'chat.stop'>({
  name: 'stop',
  usage: '/stop',
  about: 'cancel what is running',
  isRepeatable: true,
  isImmediate: true,
  read: () => ({ operation: 'chat.stop', input: {} }),
  render: ({ outcome }) => ANSWERS[outcome],
});
