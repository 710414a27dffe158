// What deciding takes and gives: the contract that decide.ts, decide-command.ts and decide-path.ts share.
import type { Mode } from '../../config/mode.ts';
import { reasonText } from '../../vocabulary/reasons.ts';
import { describeTaint, type TaintSource } from '../../vocabulary/taint-source.ts';
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
  mode: Mode;
  /** Where the content from outside in this turn came from; empty: there is none. */
  taint: readonly TaintSource[];
  /** What the call runs cannot get out of the workspace: it is in a sandbox, without network. */
  isContained: boolean;
  /** Of a tainted turn: why even a change of an ordinary file could leave, because something that runs may run it. */
  wayOut?: string;
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
  /** What allows it, where it is allowed. */
  because?: string;
  /** It does more than read. */
  changes: boolean;
  /** The turn is tainted and the effect lasts or leaves, or the tool always asks: no mode and no rule replaces a person. */
  needsPerson: boolean;
  /** A person must allow it, or a rule that names it. */
  notByMode?: true;
  /** A command that is allowed because it only reads: it must run in the environment that this was judged for. */
  onlyReads?: true;
  question: Question;
  /** Absolute paths of files that other programs run, which the call names or evidently changes: an answer is about them too. */
  protects?: readonly string[];
  /** What an answer for longer than this once is kept as; empty when it can only be given once. */
  rememberAs: readonly string[];
  /** How long an answer can hold: "always" is not offered where an ask rule or the taint of the turn would ask again. */
  scopes: readonly Scope[];
}

/** The names that a rule can call this tool by. */
export function namesOf({ name, aliases = [] }: ToolSpec): readonly string[] {
  return [name, ...aliases];
}

export type Scope = 'once' | 'session' | 'always';

type Base = Pick<Decision, 'question' | 'changes'> &
  Partial<Pick<Decision, 'rememberAs' | 'scopes' | 'needsPerson' | 'protects'>>;

export function allow({ question, changes }: Base, because: string): Decision {
  return { ...NOTHING_KEPT, verdict: 'allow', reasons: [], because, changes, question };
}

export function deny({ question, changes }: Base, reason: string): Decision {
  return { ...NOTHING_KEPT, verdict: 'deny', reasons: [reason], changes, question };
}

/** Without something to remember, an answer holds once. */
export function ask(base: Base, reasons: readonly string[]): Decision {
  const { question, changes, needsPerson = false, rememberAs = [], scopes = [], protects } = base;
  const kept: readonly Scope[] = rememberAs.length > 0 ? ['once', ...scopes] : ['once'];
  return {
    verdict: 'ask',
    reasons: [...new Set(reasons)],
    changes,
    needsPerson,
    question,
    ...(protects && { protects }),
    rememberAs: kept.length > 1 ? rememberAs : [],
    scopes: kept,
  };
}

const NOTHING_KEPT = { needsPerson: false, rememberAs: [], scopes: ['once'] } as const;

export function deniedBy(rule: Rule): string {
  return rule.reason ?? reasonText('rule-denies', { rule: rule.text });
}

export const ALLOWED_BY = {
  answer: reasonText('session-answer'),
  reading: reasonText('only-reads'),
  needsNone: reasonText('needs-none'),
  rule: reasonText('rule'),
} as const;

export function askedBy(rule: Rule): string {
  return reasonText('rule-asks', { rule: rule.text });
}

/** Names where the content came from. */
export function taintReason(taint: readonly TaintSource[]): string {
  return reasonText('tainted', { sources: taint.map(describeTaint).join(', ') });
}

/** Why a person is needed for what changes files. */
export function personReasons({ taint, wayOut }: Pick<DecideInput, 'taint' | 'wayOut'>): string[] {
  return [taintReason(taint), ...(wayOut === undefined ? [] : [wayOut])];
}

/** The answers of the session that hold now: where a person is needed, only those given while one was. */
export function answersFor(remembered: Remembered, needsPerson: boolean): readonly Rule[] {
  return remembered.filter((answer: SessionAnswer) => answer.tainted || !needsPerson).map(({ rule }) => rule);
}
