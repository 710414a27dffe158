import { nearest } from '../../../lib/nearest.ts';
import { chosenModel } from '../choices.ts';
import type { ChatCommand } from './command.ts';

export const modelCommand: ChatCommand = {
  name: 'model',
  usage: '/model [name|provider/name|default]',
  about: 'which model answers here, or choose another',
  isForOwner: true,
  isRepeatable: true,
  isImmediate: false,
  async run({ argument, settings, choices, models, chooseModel, request: { chat }, signal }) {
    const { provider: usualProvider, model: usual } = (await settings(chat)).turn;
    if (argument === '') {
      const own = chosenModel(await choices.get(chat), usualProvider);
      const now = own?.name ?? usual ?? "the provider's default";
      const provider = own?.provider ?? usualProvider;
      return `Model: \`${now}\` (${provider})${own ? ', chosen here' : ''}. \`/models\` lists what there is, \`/model <name>\` chooses.`;
    }
    if (argument === 'default') {
      await choices.change(chat, { model: undefined });
      return `This chat uses the usual model again${usual ? `: \`${usual}\`` : ''}.`;
    }
    const inUse = chosenModel(await choices.get(chat), usualProvider)?.provider ?? usualProvider;
    const { provider, model: name = argument } = await chooseModel({ provider: inUse, model: argument });
    const listed = await models(provider, signal);
    // A list that cannot be had must not stand in the way.
    if (listed.ok && listed.models.length > 0 && !listed.models.some(({ id }) => id === name)) {
      const ids = listed.models.map(({ id }) => id);
      const close = nearest(name, ids) ?? ids.find((id) => id.includes(name));
      const written = (id: string): string => (provider === inUse ? id : `${provider}/${id}`);
      const hint = close ? `did you mean \`/model ${written(close)}\`?` : '`/models` lists what there is.';
      return `${provider} has no model \`${name}\`: ${hint}`;
    }
    const isOther = provider !== usualProvider;
    await choices.change(chat, { model: { provider, name, ...(isOther && { withProvider: true }) } });
    return `This chat uses \`${name}\` (${provider}) from now on. \`/model default\` takes it back.`;
  },
};
