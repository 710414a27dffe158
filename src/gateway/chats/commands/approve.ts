import type { Scope } from '../../../tools/permissions/decision.ts';
import type { ChatCommand } from './command.ts';

const SCOPES: readonly string[] = ['once', 'session', 'always'];

export const approveCommand: ChatCommand = {
  name: 'approve',
  usage: '/approve [question] [once|session|always]',
  about: 'allow what is asked for',
  isForOwner: true,
  isRepeatable: true,
  isImmediate: true,
  async run({ argument, questions, request: { chat, isOwner, message } }) {
    const words = argument.split(/\s+/).filter((word) => word !== '');
    const scope = words.find((word) => SCOPES.includes(word)) as Scope | undefined;
    const [id, ...more] = words.filter((word) => word !== scope);
    if (more.length > 0)
      return `\`/approve ${argument}\` is not accepted: \`/approve [question] [once|session|always]\` is.`;
    return questions.answer({
      chat,
      isOwner,
      id,
      scope: scope ?? 'once',
      by: message.sender.name ?? message.sender.id,
    });
  },
};
