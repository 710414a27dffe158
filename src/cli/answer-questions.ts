// The person at a terminal as one of those who may answer the questions of a turn: each question is put to them when it is
// asked, and taken away when somebody else was first.
import type { TurnHub } from '../gateway/turns/turn-hub.ts';
import type { RunEvent } from '../pipeline/events.ts';
import type { FormResolution, PermissionResolution } from '../pipeline/questions.ts';
import type { Person } from './terminal-prompter.ts';

const TERMINAL = { place: 'terminal' } as const;

/** Why a question was taken away: its message tells who answered it, and how. */
export class AnsweredElsewhere extends Error {}

export interface AnswerQuestionsOptions {
  person: Person;
  answer: TurnHub['answer'];
  /** Told what was answered while the person was still asked. */
  onElsewhere?(text: string): void;
}

/** The same events; while they are read, the person answers what the turn asks. */
export async function* answerQuestions(
  events: AsyncIterable<RunEvent>,
  { person, answer, onElsewhere }: AnswerQuestionsOptions,
): AsyncGenerator<RunEvent> {
  const open = new Map<string, AbortController>();

  function put(id: string, ask: (signal: AbortSignal) => Promise<Parameters<typeof answer>[1]>): void {
    const over = new AbortController();
    open.set(id, over);
    const denied = (): Parameters<typeof answer>[1] => {
      const { reason } = over.signal;
      if (reason instanceof AnsweredElsewhere) onElsewhere?.(reason.message);
      // Whoever cannot be asked has not agreed. For a question that is over this changes nothing.
      return { kind: 'deny' };
    };
    void ask(over.signal)
      .catch(denied)
      .then((given) => answer(id, given, TERMINAL));
  }

  for await (const event of events) {
    // Whoever shows the events has shown this one when it comes back here.
    yield event;
    if (event.type === 'permission-request') {
      const { id, permission } = event.question;
      put(id, async (signal) => {
        const scope = await person.askPerson(permission, signal);
        return scope ? { kind: 'allow', scope } : { kind: 'deny' };
      });
    } else if (event.type === 'form-request') {
      const { id, form } = event.question;
      put(id, async (signal) => ({ kind: 'form', answer: await person.askForm(form, signal) }));
    } else if (event.type === 'permission-resolved' || event.type === 'form-resolved') {
      open.get(event.questionId)?.abort(elsewhere(event.resolution));
      open.delete(event.questionId);
    }
  }
}

/** Undefined when nobody else answered: the question has only ended. */
function elsewhere(resolution: PermissionResolution | FormResolution): AnsweredElsewhere | undefined {
  if (resolution.ending !== 'answered' || resolution.place === 'terminal') return undefined;
  const { answer, by, place } = resolution;
  const given =
    'action' in answer ? (answer.action === 'accept' ? 'sent' : 'declined') : answer.scope ? 'allowed' : 'not allowed';
  return new AnsweredElsewhere(`${given} by ${by}, in the ${place}`);
}
