// What waits for a person, over everything that runs.
import { signal } from '@preact/signals';
import { call } from '../api/call.ts';
import type { Question } from '../chat/turn-view.ts';
import { onStream } from '../events/stream.ts';
import { newestOf } from './newest.ts';

export interface AskedQuestion {
  question: Question;
  /** The conversation that it is asked in, where that is known. */
  session?: string;
}

export const questions = signal<readonly AskedQuestion[]>([]);

type Change = (open: readonly AskedQuestion[]) => readonly AskedQuestion[];

/** For each load, what events have changed since it began: its answer may be from before them. */
const loads = new Set<Change[]>();

function change(work: Change): void {
  questions.value = work(questions.value);
  for (const changes of loads) changes.push(work);
}

export const loadQuestions = newestOf(load, (loaded) => {
  questions.value = loaded;
});

async function load(): Promise<readonly AskedQuestion[]> {
  const changes: Change[] = [];
  loads.add(changes);
  try {
    const [open, turns] = await Promise.all([call('turns.questions', {}), call('turns.list', {})]);
    const sessionOf = new Map(turns.map(({ id, sessionKey }) => [id, sessionKey]));
    const loaded = open.map((question) => ({ question, session: sessionOf.get(question.turnId) }));
    return changes.reduce<readonly AskedQuestion[]>((before, work) => work(before), loaded);
  } finally {
    loads.delete(changes);
  }
}

export function followQuestions(onAsked: (asked: AskedQuestion) => void): void {
  onStream((event) => {
    if (event.type === 'reset') void loadQuestions().catch(() => {});
    if (event.type === 'permission-request' || event.type === 'form-request') {
      const asked = { question: event.question as Question, session: String(event.session) };
      const isKnown = isAmong(questions.value, asked.question.id);
      change((open) => (isAmong(open, asked.question.id) ? open : [...open, asked]));
      if (!isKnown) onAsked(asked);
    }
    if (event.type === 'permission-resolved' || event.type === 'form-resolved')
      change((open) => open.filter(({ question }) => question.id !== event.questionId));
  });
}

function isAmong(open: readonly AskedQuestion[], id: string): boolean {
  return open.some(({ question }) => question.id === id);
}
