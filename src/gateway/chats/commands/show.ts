import { fenced } from '../question-text.ts';
import { defineChatCommand } from './command.ts';

export const showCommand = defineChatCommand<'turns.questions'>({
  name: 'show',
  usage: '/show [question]',
  about: 'all of what a question is about, where it was cut',
  isRepeatable: true,
  isImmediate: true,
  read: () => ({ operation: 'turns.questions', input: {} }),
  render(open, argument, { questions }) {
    if (argument === '' && questions.length > 1)
      return `Several questions are waiting: name the one you mean (${questions.join(', ')}).`;
    const wanted = argument === '' ? questions[0] : argument;
    const found = open.find(({ id }) => id === wanted && questions.includes(id))?.permission;
    if (!found) return 'Nothing is waiting for an answer: it was answered already, or has expired.';
    const { title, exact, preview } = found;
    return `**${title}**\n\n${fenced(preview && !preview.isCut ? preview.text : exact)}`;
  },
});
