// What deciding takes and gives: the contract that decide.ts, decide-command.ts and decide-path.ts share.
import type { NetworkRequest } from '../network/network-request.ts';
import type { ToolCall, ToolSpec } from '../tool.ts';
import type { CommandParser } from './command.ts';
import type { PathContext } from './paths.ts';
import type { Question } from './question.ts';
import type { Remembered, SessionAnswer } from './remembered.ts';
import type { Rule, Rules } from './rules.ts';

export interface DecideInput {
  spec: ToolSpec;
  call: ToolCall;
  rules: Rules;
  remembered: Remembered;
  /** The turn has content from outside: see decide.ts. */
  tainted: boolean;
  context: DecideContext;
  /** The network that the call asks for. */
  network?: NetworkRequest;
}

export interface DecideContext extends PathContext {
  /** From createCommandParser(); without it every command asks. */
  parseCommand?: CommandParser;
}

export interface Decision {
  verdict: 'allow' | 'ask' | 'deny';
  /** Why it is not simply allowed. */
  reasons: readonly string[];
  /** It asks because the turn has content from outside: nobody can have approved that beforehand. */
  tainted: boolean;
  /** A command that is allowed because it only reads: it must run in the environment that this was judged for. */
  onlyReads?: true;
  question: Question;
  /** What an answer for longer than this once is kept as; empty when it can only be given once. */
  rememberAs: readonly string[];
  /** How long an answer can hold: "always" is not offered where an ask rule or the mark of the turn would ask again. */
  scopes: readonly Scope[];
}

/** The names that a rule can call this tool by. */
export function namesOf({ name, aliases = [] }: ToolSpec): readonly string[] {
  return [name, ...aliases];
}

export type Scope = 'once' | 'session' | 'always';

export const TAINTED = 'this turn has content from outside, so a person must approve it';

type Base = Pick<Decision, 'question'> & Partial<Pick<Decision, 'rememberAs' | 'scopes'>>;

export function allow({ question }: Base): Decision {
  return { verdict: 'allow', reasons: [], tainted: false, question, rememberAs: [], scopes: ['once'] };
}

export function deny({ question }: Base, reason: string): Decision {
  return { verdict: 'deny', reasons: [reason], tainted: false, question, rememberAs: [], scopes: ['once'] };
}

/** Without something to remember, an answer holds once. */
export function ask({ question, rememberAs = [], scopes = [] }: Base, reasons: readonly string[]): Decision {
  const kept: readonly Scope[] = rememberAs.length > 0 ? ['once', ...scopes] : ['once'];
  return {
    verdict: 'ask',
    reasons: [...new Set(reasons)],
    tainted: reasons.includes(TAINTED),
    question,
    rememberAs: kept.length > 1 ? rememberAs : [],
    scopes: kept,
  };
}

export function deniedBy(rule: Rule): string {
  return `the rule "${rule.text}" denies it`;
}

export function askedBy(rule: Rule): string {
  return `the rule "${rule.text}" asks`;
}

/** The answers of the session that hold now: in a tainted turn, only those given in one. */
export function answersFor(remembered: Remembered, tainted: boolean): readonly Rule[] {
  return remembered.filter((answer: SessionAnswer) => answer.tainted || !tainted).map(({ rule }) => rule);
}
