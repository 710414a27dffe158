// The permissions that a person gives in one turn. Each is journalled, durably, before its call may run, and kept for the event
// of the call's end. What the person was shown is kept with it, up to a length.
import type { Turn } from '../sessions/turn.ts';
import type { AskPerson } from '../tools/policy.ts';
import type { ToolCall, ToolPreview } from '../tools/tool.ts';
import type { AnsweredFrom, GrantedPermission, TurnQuestions } from './questions.ts';

const KEPT_CHARACTERS = 50_000;

export interface Grants {
  /** Asks through the turn's questions. */
  askPerson: AskPerson;
  /** Undefined when nobody was asked about this call, or it was not allowed. */
  of(call: ToolCall): GrantedPermission | undefined;
  /** Undefined when nobody answered about this call. */
  answeredFrom(call: ToolCall): AnsweredFrom | undefined;
}

export interface GrantsDependencies {
  questions: Pick<TurnQuestions, 'permission'>;
  turn: Pick<Turn, 'permissionAsked' | 'callPermitted'>;
  now(): number;
}

export function createGrants({ questions, turn, now }: GrantsDependencies): Grants {
  // By the call itself: small servers give several calls one id.
  const grants = new Map<ToolCall, GrantedPermission>();
  const answered = new Map<ToolCall, AnsweredFrom>();
  return {
    async askPerson(question, signal) {
      await turn.permissionAsked(question.call);
      const answer = await questions.permission(question, signal);
      if (!answer) return undefined;
      const { call, verdict, preview } = question;
      const { scope, by, place } = answer;
      answered.set(call, { by, place });
      if (scope === undefined) return undefined;
      const granted: GrantedPermission = {
        scope,
        by,
        place,
        at: new Date(now()).toISOString(),
        rules: scope === 'once' ? [] : verdict.rememberAs,
        ...(preview && { preview: bounded(preview) }),
      };
      grants.set(call, granted);
      await turn.callPermitted(call, granted);
      return scope;
    },
    of: (call) => grants.get(call),
    answeredFrom: (call) => answered.get(call),
  };
}

function bounded({ summary, text, paths }: ToolPreview): ToolPreview {
  const left = text.length - KEPT_CHARACTERS;
  return { summary, paths, text: left > 0 ? `${text.slice(0, KEPT_CHARACTERS)}\n… ${left} more characters` : text };
}
