import type { TurnQuestion } from '../pipeline/questions.ts';
import { readReasons } from '../vocabulary/reasons.ts';

/** A question of a turn as programs get it. */
export function shownQuestion(question: TurnQuestion) {
  const { id, turnId, askedAt, expiresAt } = question;
  const facts = { id, turnId, askedAt, ...(expiresAt !== undefined && { expiresAt }) };
  if ('form' in question) return { ...facts, form: question.form };
  const { call, verdict, preview } = question.permission;
  // A gateway of an earlier version says no parts.
  const { title, titleParts = [], exact, answers } = verdict.question;
  const { reasons, scopes, rememberAs: rules } = verdict;
  return {
    ...facts,
    permission: {
      tool: call.name,
      title,
      titleParts: [...titleParts],
      exact,
      reasons: [...reasons],
      why: reasons.map((reason) => readReasons(reason) ?? [{ text: reason }]),
      scopes: [...scopes],
      rules: [...rules],
      ...(answers && { answers }),
      ...(preview && { preview }),
    },
  };
}
