import { defineChatCommand } from './command.ts';

export const newCommand = defineChatCommand<'chat.new'>({
  name: 'new',
  usage: '/new',
  about: 'start another conversation',
  isRepeatable: false,
  isImmediate: false,
  read: () => ({ operation: 'chat.new', input: {} }),
  render: () => 'A new conversation. What was said before is kept; the model sees of it only what memory keeps.',
});
