// Whether a call may run: allow, ask or deny, with the reasons and the question. Pure: no clock, no files, no memory.
//
// In this order:
//  1. A deny rule that touches any part of the call: deny. Writing into Lainclaw's own home: deny.
//  2. What no rule may open silently asks: a command that cannot be parsed, sudo and its kind, a protected path
//     (sensitive-paths.ts) that is written.
//  3. An ask rule asks, unless the person answered exactly this for the session.
//  4. Reading (effect read, and commands that only read inside the workspace) needs no question, nor does a tool that
//     does not require permission.
//  5. An answer given for the session, or allow rules (the answers "always" among them), that cover the whole call: allow.
//  6. A call that asks for the network (decide-network.ts): each of its hosts needs a rule or an answer of its own.
//  7. Otherwise ask. Without anyone to ask, the caller denies.
// Then the mode (config/mode.ts): plan denies whatever does more than read; accept-edits allows edits that only (7) would ask
// about; auto allows what would ask. A tool that always asks (`alwaysAsks`) is approved by a person each time, in every mode.
//
// A tainted turn has content from outside (web, files not written by the user, other people's messages, MCP results, skills).
// In it, policy must hold even if the model obeys that content. What it may do is decided by where the effect ends:
//  - contained (a command in a sandbox without network, an edit of an ordinary file of the workspace): as in any other turn;
//  - lasting (what is remembered, scheduled or started in the background, files that other programs run) and leaving (network,
//    sending, outside the workspace, no sandbox): a person, in every mode, who sees where the content came from. Allow rules
//    do not apply, nor does it matter that a tool requires no permission; an answer for the session applies only when it was
//    given to such a question, when the person knew.
//  - reading stays free: the read-only commands are a fixed table that neither sends, writes nor runs anything else. Asking
//    for an address is not reading in this sense, because an address can carry anything out.
import { reasonText } from '../../vocabulary/reasons.ts';
import type { PathSubject, ToolSubject } from '../subject.ts';
import type { ToolEffect } from '../tool.ts';
import { decideCommand } from './decide-command.ts';
import { decideNetwork } from './decide-network.ts';
import { decidePath } from './decide-path.ts';
import {
  ALLOWED_BY,
  allow,
  answersFor,
  ask,
  askedBy,
  type DecideInput,
  type Decision,
  deniedBy,
  deny,
  namesOf,
  taintReason,
} from './decision.ts';
import { callQuestion, planQuestion } from './question.ts';
import { namesTool, type Rule } from './rules.ts';

export function decide(input: DecideInput): Decision {
  const subject = input.spec.subject(input.call.args);
  const judged = decideSubject(input, subject);
  const reached = input.network ? decideNetwork(input, input.network, judged) : judged;
  const decision = input.spec.alwaysAsks ? alwaysAsked(input, reached) : reached;
  if (decision.verdict === 'deny') return decision;
  if (input.mode === 'plan' && decision.changes) return deny(decision, reasonText('plan-only-reads'));
  const byMode = input.mode === 'auto' && !decision.needsPerson && !decision.notByMode;
  return byMode && decision.verdict === 'ask' ? allow(decision, reasonText('mode', { mode: input.mode })) : decision;
}

/** Whatever allowed it, a person is asked, and the answer holds once. */
function alwaysAsked({ call }: DecideInput, decision: Decision): Decision {
  if (decision.verdict === 'deny') return decision;
  const { question, changes, protects, reasons } = decision;
  const tool = { tool: call.name };
  const why = reasons.filter((reason) => reason !== reasonText('needs-permission', tool));
  return ask({ question, changes, protects, needsPerson: true }, [...why, reasonText('asks-each-time', tool)]);
}

function decideSubject(input: DecideInput, subject: ToolSubject): Decision {
  switch (subject.kind) {
    case 'command':
      return decideCommand(input, subject);
    case 'path':
      return decidePath(input, subject);
    case 'paths':
      return subject.paths.length > 0 ? decidePaths(input, subject.paths) : decideTarget(input, { kind: 'none' });
    case 'plan':
      return decidePlan(input, subject.plan);
    case 'url':
    case 'chat':
    case 'none':
      return decideTarget(input, subject);
  }
}

/** Each path by itself; the strictest verdict holds, and an answer is kept only where it can be kept for all of them. */
function decidePaths(input: DecideInput, paths: readonly PathSubject[]): Decision {
  const decisions = paths.map((path) => decidePath(input, path));
  const question =
    decisions.length > 1 ? callQuestion(input.call) : (decisions[0]?.question ?? callQuestion(input.call));
  const changes = decisions.some((each) => each.changes);
  const denied = decisions.find(({ verdict }) => verdict === 'deny');
  if (denied) return { ...denied, question };
  const asking = decisions.filter(({ verdict }) => verdict === 'ask');
  if (asking.length === 0)
    return allow({ question, changes }, [...new Set(decisions.flatMap(({ because }) => because ?? []))].join('; '));
  const rememberAs = asking.every((each) => each.rememberAs.length > 0)
    ? asking.flatMap((each) => each.rememberAs)
    : [];
  const scopes = (['session', 'always'] as const).filter((scope) =>
    asking.every((each) => each.scopes.includes(scope)),
  );
  const asked = ask(
    { question, changes, rememberAs, scopes, needsPerson: asking.some((each) => each.needsPerson) },
    asking.flatMap(({ reasons }) => reasons),
  );
  return asking.some((each) => each.notByMode) ? { ...asked, notByMode: true } : asked;
}

/** The end of planning: a person approves the plan and says how to continue; outside plan mode nothing has to be approved. */
function decidePlan({ spec, mode, rules }: DecideInput, plan: string): Decision {
  const base = { question: planQuestion(plan), changes: false };
  const denying = rules.deny.find((rule) => namesTool(rule, namesOf(spec)));
  if (denying) return deny(base, deniedBy(denying));
  if (mode !== 'plan') return allow(base, ALLOWED_BY.needsNone);
  return { ...ask({ ...base, needsPerson: true }, []), scopes: ['once', 'session', 'always'] };
}

type TargetSubject = Extract<ToolSubject, { kind: 'url' | 'chat' | 'none' }>;

/** A call without a command or a path: rules name the tool, and the address or the chat where it has one. */
function decideTarget(input: DecideInput, subject: TargetSubject): Decision {
  const { spec, call, rules, remembered, taint, isContained } = input;
  const names = namesOf(spec);
  const target = spellTarget(subject);
  // What reads and nothing else needs no question; what asks for an address tells it to somebody.
  const onlyReads = spec.effect === 'read' && subject.kind !== 'url';
  const stays = isContained && subject.kind === 'none' && !spec.lasts;
  const needsPerson = taint.length > 0 && !onlyReads && !stays;
  const tainted = needsPerson ? [taintReason(taint)] : [];
  const base = {
    question: callQuestion(call),
    changes: spec.effect !== 'read',
    needsPerson,
    rememberAs: rememberTarget(spec.name, spec.effect, subject),
  };
  // A pattern of another kind cannot see into this call: deny and ask rules are taken for the whole tool, allow rules do not apply.
  const touches = (rule: Rule): boolean =>
    namesTool(rule, names) && (!isTargetRule(rule, subject) || rule.pattern.target.touches(target));
  const allows = (rule: Rule): boolean =>
    namesTool(rule, names) &&
    (rule.pattern.kind === 'everything' || (isTargetRule(rule, subject) && rule.pattern.target.allows(target)));
  const denying = rules.deny.find(touches);
  if (denying) return deny(base, deniedBy(denying));
  if (base.rememberAs.length > 0 && answersFor(remembered, needsPerson).some(allows))
    return allow(base, ALLOWED_BY.answer);
  const asking = rules.ask.find(touches);
  if (asking) return ask({ ...base, scopes: ['session'] }, [...tainted, askedBy(asking)]);
  if (onlyReads) return allow(base, ALLOWED_BY.reading);
  if (needsPerson) return ask({ ...base, scopes: ['session'] }, tainted);
  if (!spec.requiresPermission) return allow(base, ALLOWED_BY.needsNone);
  if (rules.allow.some(allows)) return allow(base, ALLOWED_BY.rule);
  return ask({ ...base, scopes: ['session', 'always'] }, [reasonText('needs-permission', { tool: call.name })]);
}

type TargetRule = Rule & { pattern: { kind: 'url' | 'chat' } };

function isTargetRule(rule: Rule, { kind }: TargetSubject): rule is TargetRule {
  return rule.pattern.kind === kind;
}

function spellTarget(subject: TargetSubject): string {
  if (subject.kind === 'chat') return `${subject.channel}:${subject.chatId}`;
  return subject.kind === 'url' ? subject.url : '';
}

/** A page that is read is remembered by its host. What runs or sends says something else each time: it is asked about each time. */
function rememberTarget(tool: string, effect: ToolEffect, subject: TargetSubject): string[] {
  const host = subject.kind === 'url' && effect === 'read' ? URL.parse(subject.url)?.hostname : undefined;
  return host ? [`${tool}(domain:${host})`] : [];
}
