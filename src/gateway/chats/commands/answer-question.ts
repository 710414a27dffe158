// What /approve and /deny have in common: which question is meant, and what is said when it cannot be answered.
import type { CodedError } from '../../../vocabulary/coded-error.ts';
import type { ChatOperations } from './chat-operations.ts';
import type { Call } from './command.ts';

const NOTHING_OPEN = 'Nothing is waiting for an answer: it was answered already, or has expired.';

/** `id`: without it, the one question that is open in the chat. */
export function answerTo(
  id: string | undefined,
  open: readonly string[],
  answer: Omit<ChatOperations['turns.answer']['input'], 'questionId'>,
): Call<'turns.answer'> | string {
  if (id === undefined && open.length > 1)
    return `Several questions are waiting: name the one you mean (${open.join(', ')}).`;
  const questionId = id ?? open[0];
  return questionId === undefined ? NOTHING_OPEN : { operation: 'turns.answer', input: { questionId, ...answer } };
}

export function explainAnswer({ code, message }: CodedError): string | undefined {
  if (code === 'QUESTION_UNKNOWN') return NOTHING_OPEN;
  if (code === 'QUESTION_ENDED') return message.replace(/^the question \S+/, 'That question');
  return code === 'ANSWER_REFUSED' || code === 'ANSWER_INVALID' ? message : undefined;
}
