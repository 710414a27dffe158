import { defineChatCommand } from './command.ts';

export const modelCommand = defineChatCommand<'chat.show' | 'chat.setModel'>({
  name: 'model',
  usage: '/model [name|provider/name|default]',
  about: 'which model answers here, or choose another',
  isRepeatable: true,
  isImmediate: false,
  read(argument) {
    if (argument === '') return { operation: 'chat.show', input: {} };
    return { operation: 'chat.setModel', input: argument === 'default' ? {} : { model: argument } };
  },
  render({ model, provider, isModelChosen }, argument) {
    if (argument === 'default') return `This chat uses the usual model again${model ? `: \`${model}\`` : ''}.`;
    if (argument !== '')
      return `This chat uses \`${model}\` (${provider}) from now on. \`/model default\` takes it back.`;
    const name = model ?? "the provider's default";
    return `Model: \`${name}\` (${provider})${isModelChosen ? ', chosen here' : ''}. \`/models\` lists what there is, \`/model <name>\` chooses.`;
  },
});
