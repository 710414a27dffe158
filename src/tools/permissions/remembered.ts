// What a person answered before. "Once" leaves nothing behind; "this session" is kept in memory; "always" becomes an allow
// rule of this workspace in permissions.json. What is kept is what was really approved: the exact simple commands, the exact path; never a
// wildcard. An answer holds only for turns like the one it was given in: see decide.ts on tainted turns.
import { parseRule, type Rule, type RuledTool } from './rules.ts';

export interface SessionAnswer {
  rule: Rule;
  /** Given in a turn that had content from outside: the person knew. */
  tainted: boolean;
}

export type Remembered = readonly SessionAnswer[];

export const NOTHING_REMEMBERED: Remembered = [];

/** The answers after "this session". */
export function rememberForSession(
  remembered: Remembered,
  rememberAs: readonly string[],
  { tainted, tools }: { tainted: boolean; tools: readonly RuledTool[] },
): Remembered {
  const answers = rememberAs.flatMap((text): SessionAnswer[] => {
    const parsed = parseRule(text, tools);
    return parsed.ok ? [{ rule: parsed.rule, tainted }] : [];
  });
  const known = (answer: SessionAnswer): boolean =>
    remembered.some(({ rule, tainted: other }) => rule.text === answer.rule.text && other === answer.tainted);
  return [...remembered, ...answers.filter((answer) => !known(answer))];
}
