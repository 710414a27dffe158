import { UndoError } from '../../../undo/undo-error.ts';
import type { ChatCommand } from './command.ts';

const SHOWN = 20;

export const undoCommand: ChatCommand = {
  name: 'undo',
  usage: '/undo',
  about: 'take back the last changes to files',
  isForOwner: true,
  isRepeatable: false,
  isImmediate: false,
  async run({ undo, session, sessionKey, signal }) {
    const entry = await session(sessionKey);
    if (!entry) return 'Nothing was changed in this conversation.';
    try {
      const { files } = await undo(entry, signal);
      const lines = files.slice(0, SHOWN).map(({ path, action }) => `- ${action}: \`${path}\``);
      if (files.length > SHOWN) lines.push(`- … ${files.length - SHOWN} more`);
      return `Taken back:\n\n${lines.join('\n')}`;
    } catch (error) {
      if (!(error instanceof UndoError)) throw error;
      // Its message says so by itself.
      if (error.code === 'UNDO_NOTHING') return `${error.message.charAt(0).toUpperCase()}${error.message.slice(1)}.`;
      return `Nothing was taken back: ${error.message}`;
    }
  },
};
