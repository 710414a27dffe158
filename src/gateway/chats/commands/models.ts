import { defineChatCommand } from './command.ts';

const SHOWN = 60;

export const modelsCommand = defineChatCommand<'chat.models'>({
  name: 'models',
  usage: '/models',
  about: 'the models there are',
  isRepeatable: true,
  isImmediate: false,
  read: () => ({ operation: 'chat.models', input: {} }),
  render({ provider, models, problem }) {
    if (problem !== undefined) return `The models of ${provider} cannot be listed: ${problem}`;
    if (models.length === 0) return `${provider} has no models to choose from.`;
    const lines = models.slice(0, SHOWN).map(({ id, isDefault }) => `- \`${id}\`${isDefault ? ' (default)' : ''}`);
    if (models.length > SHOWN) lines.push(`- … ${models.length - SHOWN} more`);
    return `Models of ${provider}:\n\n${lines.join('\n')}\n\n\`/model <name>\` chooses one for this chat.`;
  },
});
