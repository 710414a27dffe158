import type { Scope } from '../../../tools/permissions/decision.ts';
import { answerTo, explainAnswer } from './answer-question.ts';
import { defineChatCommand } from './command.ts';

const SCOPES: readonly string[] = ['once', 'session', 'always'];

export const approveCommand = defineChatCommand<'turns.answer'>({
  name: 'approve',
  usage: '/approve [question] [once|session|always]',
  about: 'allow what is asked for',
  isRepeatable: true,
  isImmediate: true,
  read(argument, { questions }) {
    const read = readApproval(argument);
    return typeof read === 'string' ? read : answerTo(read.id, questions, { answer: 'allow', scope: read.scope });
  },
  // The question itself shows the answer.
  render: () => undefined,
  explain: explainAnswer,
});

/** A text says what is accepted. */
export function readApproval(argument: string): { id?: string; scope: Scope } | string {
  const words = argument.split(/\s+/).filter((word) => word !== '');
  const scope = words.find((word): word is Scope => SCOPES.includes(word));
  const [id, ...more] = words.filter((word) => word !== scope);
  if (more.length > 0)
    return `\`/approve ${argument}\` is not accepted: \`/approve [question] [once|session|always]\` is.`;
  return { id, scope: scope ?? 'once' };
}
