import { defineChatCommand } from './command.ts';

const SHOWN = 20;

export const undoCommand = defineChatCommand<'undo.turn'>({
  name: 'undo',
  usage: '/undo',
  about: 'take back the last changes to files',
  isRepeatable: false,
  isImmediate: false,
  read: (_argument, { sessionKey }) => ({ operation: 'undo.turn', input: { session: sessionKey } }),
  render({ files }) {
    const lines = files.slice(0, SHOWN).map(({ path, action }) => `- ${action}: \`${path}\``);
    if (files.length > SHOWN) lines.push(`- … ${files.length - SHOWN} more`);
    return `Taken back:\n\n${lines.join('\n')}`;
  },
  explain({ code, message }) {
    if (code === 'SESSION_NOT_FOUND') return 'Nothing was changed in this conversation.';
    // Its message says so by itself.
    if (code === 'UNDO_NOTHING') return `${message.charAt(0).toUpperCase()}${message.slice(1)}.`;
    return code.startsWith('UNDO_') ? `Nothing was taken back: ${message}` : undefined;
  },
});
