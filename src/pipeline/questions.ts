// The questions of a turn: what is put to a person while it runs, and how each one ends. A question is data, so any reader
// of the turn can show it; the runner of the turn decides who answers.
import type { FormAnswer, FormRequest } from '../mcp/elicitation.ts';
import type { Scope } from '../tools/permissions/decision.ts';
import type { PermissionQuestion } from '../tools/policy.ts';
import type { ToolPreview } from '../tools/tool.ts';

interface QuestionFacts {
  /** Short enough to type. */
  id: string;
  /** The turn that asks: the one that is read, or a sub-agent's that it waits for. */
  turnId: string;
  askedAt: string;
  /** Without an answer until then, the answer is no. */
  expiresAt?: string;
}

export type PermissionRequest = QuestionFacts & { permission: PermissionQuestion };
export type FormQuestion = QuestionFacts & { form: FormRequest };
export type TurnQuestion = PermissionRequest | FormQuestion;

/** Where an answer came from; `program`: a program that uses the library. */
export type AnswerPlace = 'terminal' | 'chat' | 'console' | 'program';

/** Who answered, and where. `by` is a name for people to read. */
export interface AnsweredFrom {
  place: AnswerPlace;
  by: string;
}

/** How a question ended. Only `answered` was a person's decision; the others are a no. */
export type Resolution<Answer> =
  | ({ ending: 'answered'; answer: Answer; at: string } & AnsweredFrom)
  | { ending: 'expired' | 'turn-ended' | 'withdrawn'; at: string };

/** Undefined: denied. */
export type PermissionResolution = Resolution<{ scope: Scope | undefined }>;
/** What was filled in goes to the server that asked, and to no other reader. */
export type FormResolution = Resolution<{ action: FormAnswer['action'] }>;

/** Without a scope: denied. */
export type PermissionAnswer = { scope: Scope | undefined } & AnsweredFrom;

/** A permission that a person gave, as it is kept with the call and in the transcript. */
export interface GrantedPermission extends AnsweredFrom {
  scope: Scope;
  at: string;
  /** The rules that the answer was kept as, when it holds for longer than once. */
  rules: readonly string[];
  /** What the person was shown. */
  preview?: ToolPreview;
}

/** Puts the questions of one turn to its readers. */
export interface TurnQuestions {
  /** Undefined: nobody answered. Rejects when `signal` fires. */
  permission(question: PermissionQuestion, signal: AbortSignal): Promise<PermissionAnswer | undefined>;
  /** Absent when nobody can fill in forms. */
  form?(request: FormRequest, signal: AbortSignal): Promise<FormAnswer>;
}
