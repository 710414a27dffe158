import { answerTo, explainAnswer } from './answer-question.ts';
import { defineChatCommand } from './command.ts';

export const denyCommand = defineChatCommand<'turns.answer'>({
  name: 'deny',
  usage: '/deny [question]',
  about: 'refuse what is asked for',
  isRepeatable: true,
  isImmediate: true,
  read: (argument, { questions }) => answerTo(argument || undefined, questions, { answer: 'deny' }),
  // The question itself shows the answer.
  render: () => undefined,
  explain: explainAnswer,
});
