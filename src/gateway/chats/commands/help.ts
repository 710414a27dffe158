import { CONTINUE_HELP, QUEUE_HELP } from '../continuing.ts';
import type { ChatCommand } from './command.ts';

export function createHelpCommand(commands: () => readonly ChatCommand[]): ChatCommand {
  return {
    name: 'help',
    usage: '/help',
    about: 'this list',
    isRepeatable: true,
    isImmediate: true,
    async run() {
      const lines = [...commands(), CONTINUE_HELP, QUEUE_HELP].map(({ usage, about }) => `- \`${usage}\` ${about}`);
      return `Write what you want to know or have done. Files and pictures can be sent too.\n\n${lines.join('\n')}`;
    },
  };
}
