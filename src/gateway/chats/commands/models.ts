import { chosenModel } from '../choices.ts';
import type { ChatCommand } from './command.ts';

const SHOWN = 60;

export const modelsCommand: ChatCommand = {
  name: 'models',
  usage: '/models',
  about: 'the models there are',
  isForOwner: true,
  isRepeatable: true,
  isImmediate: false,
  async run({ settings, choices, models, request: { chat }, signal }) {
    const { provider: usual } = (await settings(chat)).turn;
    const provider = chosenModel(await choices.get(chat), usual)?.provider ?? usual;
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
