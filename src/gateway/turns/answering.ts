// A person, or a program, as one of those who may answer the questions of a turn: each question is put to them when its event is
// read, and taken away when somebody else was first. Who cannot be asked has not agreed.
import type { AskForm } from '../../mcp/elicitation.ts';
import type { RunEvent } from '../../pipeline/events.ts';
import type { FormResolution, PermissionResolution } from '../../pipeline/questions.ts';
import type { Scope } from '../../tools/permissions/decision.ts';
import type { AskPerson } from '../../tools/policy.ts';
import type { Answerer } from './answerer.ts';
import type { QuestionAnswer } from './questions.ts';
import type { TurnHub } from './turn-hub.ts';

const LONGER_AND_LONGER: readonly Scope[] = ['once', 'session', 'always'];

/** Why a question was taken away: its message tells who answered it, and how. */
export class AnsweredElsewhere extends Error {}

export interface AnsweringOptions {
  person: { askPerson: AskPerson; askForm?: AskForm };
  by: Answerer;
  answer: TurnHub['answer'];
  /** Told what was answered while the person was still asked. */
  onElsewhere?(text: string): void;
}

/** What a reader hands each event of the turn to. */
export function createAnswering({ person, by, answer, onElsewhere }: AnsweringOptions): (event: RunEvent) => void {
  const open = new Map<string, AbortController>();

  function put(id: string, ask: (signal: AbortSignal) => Promise<QuestionAnswer>): void {
    const over = new AbortController();
    open.set(id, over);
    const denied = (): QuestionAnswer => {
      const { reason } = over.signal;
      if (reason instanceof AnsweredElsewhere) onElsewhere?.(reason.message);
      // For a question that is over this changes nothing.
      return { kind: 'deny' };
    };
    void ask(over.signal)
      .catch(denied)
      .then((given) => answer(id, given, by));
  }

  return (event) => {
    if (event.type === 'permission-request') {
      const { id, permission } = event.question;
      put(id, async (signal) => {
        const scope = await person.askPerson(permission, signal);
        return scope ? { kind: 'allow', scope: offered(scope, permission.verdict.scopes) } : { kind: 'deny' };
      });
    } else if (event.type === 'form-request') {
      const { id, form } = event.question;
      const { askForm } = person;
      put(id, async (signal) => (askForm ? { kind: 'form', answer: await askForm(form, signal) } : { kind: 'deny' }));
    } else if (event.type === 'permission-resolved' || event.type === 'form-resolved') {
      open.get(event.questionId)?.abort(elsewhere(event.resolution, by));
      open.delete(event.questionId);
    }
  };
}

/** An answer that would hold longer than the question offers holds as long as it can. */
function offered(scope: Scope, scopes: readonly Scope[]): Scope {
  const upTo = LONGER_AND_LONGER.slice(0, LONGER_AND_LONGER.indexOf(scope) + 1);
  return upTo.findLast((each) => scopes.includes(each)) ?? 'once';
}

/** Undefined when nobody else answered: the question has only ended. */
function elsewhere(
  resolution: PermissionResolution | FormResolution,
  { place: own }: Answerer,
): AnsweredElsewhere | undefined {
  if (resolution.ending !== 'answered' || resolution.place === own) return undefined;
  return new AnsweredElsewhere(answeredInWords(resolution));
}

type Answered<R> = Extract<R, { ending: 'answered' }>;

/** What was answered, by whom, and where. */
export function answeredInWords({ answer, by, place }: Answered<PermissionResolution | FormResolution>): string {
  const given =
    'action' in answer ? (answer.action === 'accept' ? 'sent' : 'declined') : answer.scope ? 'allowed' : 'not allowed';
  return `${given} by ${by}, in the ${place}`;
}
