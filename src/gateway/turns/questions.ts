// The open questions of all turns of this process. A question is asked once and ends once: with the first answer of somebody
// who may give it, when its time is over, when its turn ends, or when the asker takes it back. Everything but an answer
// means no. Who answers later learns how it ended.
import { type FormAnswer, type FormRequest, withDefaults } from '../../mcp/elicitation.ts';
import type { RunEvent } from '../../pipeline/events.ts';
import type { PermissionAnswer, Resolution, TurnQuestion } from '../../pipeline/questions.ts';
import type { Scope } from '../../tools/permissions/decision.ts';
import type { PermissionQuestion } from '../../tools/policy.ts';
import { valueProblem } from '../../tools/validate.ts';
import { type Answerer, answeredFrom, isAskedThere, mayAnswer } from './answerer.ts';

/** How many questions that have ended are remembered for those who answer late. */
const REMEMBERED = 1_000;

/** `deny` declines a form, too. */
export type QuestionAnswer = { kind: 'allow'; scope: Scope } | { kind: 'deny' } | { kind: 'form'; answer: FormAnswer };

export type AnswerOutcome =
  | { kind: 'accepted' }
  /** It has ended already; the event tells how. */
  | { kind: 'ended'; event: ResolvedEvent }
  /** There was no such question in this process, or it was long ago. */
  | { kind: 'unknown' }
  /** This person may not answer it. */
  | { kind: 'refused'; message: string }
  /** The answer does not fit the question, which stays open. */
  | { kind: 'invalid'; message: string };

/** How a question ended, as every reader sees it. */
export type ResolvedEvent = Extract<RunEvent, { type: 'permission-resolved' | 'form-resolved' }>;

/** The turn that asks. */
export interface AskingTurn {
  id: string;
  chat?: string;
  /** Tells the turn's readers, and those of the turns that wait for it. */
  publish(event: RunEvent): void;
  /** Fires when the turn is stopped. */
  signal: AbortSignal;
  expiresMs?: number;
}

export interface Questions {
  askPermission(
    turn: AskingTurn,
    permission: PermissionQuestion,
    signal: AbortSignal,
  ): Promise<PermissionAnswer | undefined>;
  askForm(turn: AskingTurn, form: FormRequest, signal: AbortSignal): Promise<FormAnswer>;
  answer(questionId: string, answer: QuestionAnswer, by: Answerer): Promise<AnswerOutcome>;
  /** Open ones, oldest first. */
  open(): TurnQuestion[];
  openOf(turnId: string): number;
  /** Ends what a turn still asks. */
  endTurn(turnId: string): void;
}

export interface QuestionsDependencies {
  now(): number;
  newId(prefix: string): string;
}

interface Open {
  question: TurnQuestion;
  turn: AskingTurn;
  end(resolution: Resolution<QuestionAnswer>): void;
}

export function createQuestions({ now, newId }: QuestionsDependencies): Questions {
  const open = new Map<string, Open>();
  const ended = new Map<string, { event: ResolvedEvent; chat: string | undefined }>();

  const timestamp = (): string => new Date(now()).toISOString();

  /** Short, because people type it; never one that is open or remembered. */
  function newQuestionId(): string {
    for (let length = 8; ; length += 1) {
      const id = newId('q').slice(0, length);
      if (!open.has(id) && !ended.has(id)) return id;
    }
  }

  function facts({ id, expiresMs }: AskingTurn): Pick<TurnQuestion, 'id' | 'turnId' | 'askedAt' | 'expiresAt'> {
    return {
      id: newQuestionId(),
      turnId: id,
      askedAt: timestamp(),
      ...(expiresMs !== undefined && { expiresAt: new Date(now() + expiresMs).toISOString() }),
    };
  }

  /** Resolves with how it ended, after the readers got the event. */
  async function ask(
    turn: AskingTurn,
    question: TurnQuestion,
    signal: AbortSignal,
    told: { asked: RunEvent; ended(resolution: Resolution<QuestionAnswer>): ResolvedEvent },
  ): Promise<Resolution<QuestionAnswer>> {
    signal.throwIfAborted();
    const { promise, resolve } = Promise.withResolvers<Resolution<QuestionAnswer>>();
    const { id } = question;
    const end = (resolution: Resolution<QuestionAnswer>): void => {
      if (!open.delete(id)) return;
      // Readers see how it ended, never what was filled in.
      const event = told.ended(resolution);
      remember(id, event, turn.chat);
      turn.publish(event);
      resolve(resolution);
    };
    const onAbort = (): void => end({ ending: turn.signal.aborted ? 'turn-ended' : 'withdrawn', at: timestamp() });
    const expiring =
      turn.expiresMs === undefined
        ? undefined
        : setTimeout(() => end({ ending: 'expired', at: timestamp() }), turn.expiresMs);
    signal.addEventListener('abort', onAbort, { once: true });
    open.set(id, { question, turn, end });
    turn.publish(told.asked);
    try {
      return await promise;
    } finally {
      clearTimeout(expiring);
      signal.removeEventListener('abort', onAbort);
    }
  }

  function remember(id: string, event: ResolvedEvent, chat: string | undefined): void {
    ended.set(id, { event, chat });
    const [oldest] = ended.keys();
    if (ended.size > REMEMBERED && oldest !== undefined) ended.delete(oldest);
  }

  return {
    async askPermission(turn, permission, signal) {
      const question = { ...facts(turn), permission };
      const resolution = await ask(turn, question, signal, {
        asked: { type: 'permission-request', question },
        ended: (each) => ({
          type: 'permission-resolved',
          questionId: question.id,
          resolution: withAnswer(each, (answer) => ({ scope: scopeOf(answer) })),
        }),
      });
      signal.throwIfAborted();
      if (resolution.ending !== 'answered') return undefined;
      return { scope: scopeOf(resolution.answer), place: resolution.place, by: resolution.by };
    },

    async askForm(turn, form, signal) {
      const question = { ...facts(turn), form };
      const resolution = await ask(turn, question, signal, {
        asked: { type: 'form-request', question },
        ended: (each) => ({
          type: 'form-resolved',
          questionId: question.id,
          resolution: withAnswer(each, (answer) => ({ action: formAnswerOf(answer).action })),
        }),
      });
      signal.throwIfAborted();
      if (resolution.ending === 'answered') return formAnswerOf(resolution.answer);
      return { action: resolution.ending === 'expired' ? 'decline' : 'cancel' };
    },

    async answer(questionId, answer, by) {
      const found = open.get(questionId);
      if (!found) return endedOrUnknown(questionId, by);
      if (!isAskedThere(by, found.turn.chat)) return { kind: 'unknown' };
      if (!mayAnswer(by)) return { kind: 'refused', message: 'Only the owner can answer this.' };
      const message = await answerMisfit(found.question, answer);
      if (message !== undefined) return { kind: 'invalid', message };
      // Checking a form takes a moment, in which somebody else may have answered.
      if (!open.has(questionId)) return endedOrUnknown(questionId, by);
      found.end({ ending: 'answered', answer, at: timestamp(), ...answeredFrom(by) });
      return { kind: 'accepted' };
    },

    open: () => [...open.values()].map(({ question }) => question),

    openOf(turnId) {
      let count = 0;
      for (const { turn } of open.values()) if (turn.id === turnId) count += 1;
      return count;
    },

    endTurn(turnId) {
      for (const { turn, end } of [...open.values()])
        if (turn.id === turnId) end({ ending: 'turn-ended', at: timestamp() });
    },
  };

  function endedOrUnknown(questionId: string, by: Answerer): AnswerOutcome {
    const known = ended.get(questionId);
    return known && isAskedThere(by, known.chat) ? { kind: 'ended', event: known.event } : { kind: 'unknown' };
  }

  /** Why an answer does not fit its question; undefined when it does. */
  async function answerMisfit(question: TurnQuestion, answer: QuestionAnswer): Promise<string | undefined> {
    if (answer.kind === 'deny') return undefined;
    if ('permission' in question) {
      const { scopes } = question.permission.verdict;
      if (answer.kind === 'form') return 'This is a question for permission: it is allowed or denied.';
      if (!scopes.includes(answer.scope)) return `This can only be allowed ${scopes.map(inWords).join(' or ')}.`;
      return undefined;
    }
    if (answer.kind === 'allow') return 'This is a form: it is filled in or declined.';
    if (answer.answer.action !== 'accept') return undefined;
    const { schema } = question.form;
    return valueProblem(schema, withDefaults(schema, answer.answer.content));
  }
}

function scopeOf(answer: QuestionAnswer): Scope | undefined {
  return answer.kind === 'allow' ? answer.scope : undefined;
}

function formAnswerOf(answer: QuestionAnswer): FormAnswer {
  return answer.kind === 'form' ? answer.answer : { action: 'decline' };
}

function withAnswer<A, B>(resolution: Resolution<A>, change: (answer: A) => B): Resolution<B> {
  return resolution.ending === 'answered' ? { ...resolution, answer: change(resolution.answer) } : resolution;
}

function inWords(scope: Scope): string {
  return scope === 'session' ? 'for this session' : scope;
}
