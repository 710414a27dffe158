// What waits for a person, over everything that runs.
import { signal } from '@preact/signals';
import { call } from '../api/call.ts';
import type { Question } from '../chat/turn-view.ts';
import { onStream } from '../events/stream.ts';

export interface AskedQuestion {
  question: Question;
  /** The conversation that it is asked in, where that is known. */
  session?: string;
}

export const questions = signal<readonly AskedQuestion[]>([]);

export async function loadQuestions(): Promise<void> {
  const [open, turns] = await Promise.all([call('turns.questions', {}), call('turns.list', {})]);
  const sessionOf = new Map(turns.map(({ id, sessionKey }) => [id, sessionKey]));
  questions.value = open.map((question) => ({ question, session: sessionOf.get(question.turnId) }));
}

export function followQuestions(onAsked: (asked: AskedQuestion) => void): void {
  onStream((event) => {
    if (event.type === 'reset') void loadQuestions().catch(() => {});
    if (event.type === 'permission-request' || event.type === 'form-request') {
      const asked = { question: event.question as Question, session: String(event.session) };
      if (questions.value.some(({ question }) => question.id === asked.question.id)) return;
      questions.value = [...questions.value, asked];
      onAsked(asked);
    }
    if (event.type === 'permission-resolved' || event.type === 'form-resolved')
      questions.value = questions.value.filter(({ question }) => question.id !== event.questionId);
  });
}
