import type { TurnQuestion } from '../pipeline/questions.ts';

/** A question of a turn as programs get it. */
export function shownQuestion(question: TurnQuestion) {
  const { id, turnId, askedAt, expiresAt } = question;
  const facts = { id, turnId, askedAt, ...(expiresAt !== undefined && { expiresAt }) };
  if ('form' in question) return { ...facts, form: question.form };
  const { call, verdict, preview } = question.permission;
  const { title, exact } = verdict.question;
  const { reasons, scopes, rememberAs: rules } = verdict;
  return {
    ...facts,
    permission: {
      tool: call.name,
      title,
      exact,
      reasons: [...reasons],
      scopes: [...scopes],
      rules: [...rules],
      ...(preview && { preview }),
    },
  };
}
