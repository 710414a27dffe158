import type { ChatCommand } from './command.ts';

const SHOWN = 60;

export const modelsCommand: ChatCommand = {
  name: 'models',
  usage: '/models',
  about: 'the models there are',
  isForOwner: true,
  isRepeatable: true,
  isImmediate: false,
  async run({ settings, models, request: { chat }, signal }) {
    const { provider } = (await settings(chat)).turn;
    const listed = await models(provider, signal);
    if (!listed.ok) return `The models of ${provider} cannot be listed: ${listed.message}`;
    if (listed.models.length === 0) return `${provider} has no models to choose from.`;
    const lines = listed.models
      .slice(0, SHOWN)
      .map(({ id, isDefault }) => `- \`${id}\`${isDefault ? ' (default)' : ''}`);
    if (listed.models.length > SHOWN) lines.push(`- … ${listed.models.length - SHOWN} more`);
    return `Models of ${provider}:\n\n${lines.join('\n')}\n\n\`/model <name>\` chooses one for this chat.`;
  },
};
