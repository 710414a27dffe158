import { nearest } from '../../../lib/nearest.ts';
import type { ChatCommand } from './command.ts';

export const modelCommand: ChatCommand = {
  name: 'model',
  usage: '/model [name|default]',
  about: 'which model answers here, or choose another',
  isForOwner: true,
  isRepeatable: true,
  isImmediate: false,
  async run({ argument, settings, choices, models, request: { chat }, signal }) {
    const { provider, model: usual } = (await settings(chat)).turn;
    if (argument === '') {
      const { model } = await choices.get(chat);
      const own = model?.provider === provider ? model.name : undefined;
      const now = own ?? usual ?? "the provider's default";
      return `Model: \`${now}\` (${provider})${own ? ', chosen here' : ''}. \`/models\` lists what there is, \`/model <name>\` chooses.`;
    }
    if (argument === 'default') {
      await choices.change(chat, { model: undefined });
      return `This chat uses the usual model again${usual ? `: \`${usual}\`` : ''}.`;
    }
    const listed = await models(provider, signal);
    // A list that cannot be had must not stand in the way.
    if (listed.ok && listed.models.length > 0 && !listed.models.some(({ id }) => id === argument)) {
      const ids = listed.models.map(({ id }) => id);
      const close = nearest(argument, ids) ?? ids.find((id) => id.includes(argument));
      const hint = close ? `did you mean \`/model ${close}\`?` : '`/models` lists what there is.';
      return `${provider} has no model \`${argument}\`: ${hint}`;
    }
    await choices.change(chat, { model: { provider, name: argument } });
    return `This chat uses \`${argument}\` (${provider}) from now on. \`/model default\` takes it back.`;
  },
};
