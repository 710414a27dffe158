// A shell command: every part of it is judged, and every part must be covered before the whole runs without a question.
// A rule without a pattern, such as `bash`, covers any command that can be read; it covers code hidden from reading (computed names,
// a pipe into sh) only while no deny or ask rule could be hidden in there with it. What cannot be parsed always asks.
// A pattern with a star holds anywhere in the workspace; one without (the answers "always" are such) in its root only, because
// the same words do something else in another directory.
// What stays in the background, and what is typed into it, is asked about each time: only a rule without a pattern covers it. In a
// tainted turn it needs a person, apart from a command that only reads and from a process that can neither write nor reach anything.

import { reasonText } from '../../vocabulary/reasons.ts';
import type { ToolSubject } from '../subject.ts';
import { classifyCommand, type Part } from './classify-command.ts';
import { type CommandReading, ELEVATED, LASTING, type Redirection, spellCommand } from './command.ts';
import { fitsCommand, isExact } from './command-pattern.ts';
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
  personReasons,
} from './decision.ts';
import { allowsPath } from './path-pattern.ts';
import { locate, type PathContext } from './paths.ts';
import { commandQuestion } from './question.ts';
import { TRANSPARENT } from './read-only/programs.ts';
import { namesTool, type Rule, type Rules } from './rules.ts';
import { changedManifests, protectedPaths, touchingRule } from './touch-command.ts';

export function decideCommand(input: DecideInput, subject: ToolSubject & { kind: 'command' }): Decision {
  const { spec, rules, remembered, taint, isContained } = input;
  const { command } = subject;
  const names = namesOf(spec);
  // Whatever the caller took for the working directory, the subject's own starts in the workspace's root.
  const root = { ...input.context, directory: input.context.workspaceRoot };
  const directory = subject.directory === undefined ? input.context.directory : locate(subject.directory, root).path;
  const context = { ...input.context, directory };
  const reading: CommandReading = input.context.parseCommand?.(command) ?? {
    parsed: false,
    text: command,
    reason: 'no parser is at hand',
    commands: [],
  };
  const { verdict, reasons: found, parts, inRoot, outside } = classifyCommand(reading, { ...context, isContained });
  const objections = protectedPaths(reading, parts, { ...context, tainted: taint.length > 0 });
  const elevated = parts.some((part) => part.command.hazards.includes(ELEVATED));
  // A program may do anything with what is typed into it.
  const isTyped = subject.runs === 'typed-into-process';
  const onlyReads = verdict === 'read-only' && !isTyped;
  const staysInside = isContained && subject.runs !== 'in-background' && input.wayOut === undefined;
  // Contained is what the sandbox holds, apart from files that other programs will run later.
  const needsPerson = taint.length > 0 && !onlyReads && (!staysInside || outside || elevated || objections.length > 0);
  const lasting = isTyped ? [reasonText('typed-into-command')] : [];
  const reasons = [...(needsPerson ? personReasons(input) : []), ...lasting, ...found];
  const asked = parts.filter((part) => part.reasons.length > 0).map((part) => part.command.source);
  const protects = [...new Set([...objections.map(({ path }) => path), ...changedManifests(reading, context)])];
  const question = commandQuestion(command, directory, asked, subject.runs);
  const judged = { question, changes: !onlyReads, needsPerson, ...(protects.length > 0 && { protects }) };

  const denying = touchingRule(rules.deny, names, reading, context);
  if (denying) return deny(judged, deniedBy(denying));
  const forbidden = objections.find((objection) => objection.verdict === 'deny');
  if (forbidden) return deny(judged, forbidden.reason);
  if (!reading.parsed || outside || elevated || objections.length > 0)
    return ask(judged, [...objections.map(({ reason }) => reason), ...reasons]);

  const asking = touchingRule(rules.ask, names, reading, context);
  // An ask rule makes a question of every part, also of those that only read.
  const needed = asking ? parts.map((part) => ({ ...part, reasons: [...part.reasons, askedBy(asking)] })) : parts;
  const rememberAs = subject.runs === undefined && inRoot && !isHidden(reading) ? rememberParts(needed, spec.name) : [];
  const base = { ...judged, rememberAs };
  const covered = (list: readonly Rule[]): boolean =>
    needed.every((part) => isCovered(part, list, { context, inRoot, names }));
  if (rememberAs.length > 0 && covered(answersFor(remembered, needsPerson)))
    return { ...allow(base, ALLOWED_BY.answer), ...(protects.length > 0 && { protects }) };
  if (asking) return ask({ ...base, scopes: ['session'] }, [askedBy(asking), ...reasons]);
  if (onlyReads) return { ...allow(base, ALLOWED_BY.reading), onlyReads: true };
  if (needsPerson) return ask({ ...base, scopes: ['session'] }, reasons);
  const general = rules.allow.filter((rule) => rule.pattern.kind === 'everything');
  const isAllowed =
    isTyped || isHidden(reading)
      ? coversHidden(rules, names)
      : covered(subject.runs === undefined ? rules.allow : general);
  if (isAllowed) return allow(base, ALLOWED_BY.rule);
  return ask({ ...base, scopes: ['session', 'always'] }, reasons);
}

interface Where {
  context: PathContext;
  inRoot: boolean;
  /** Of the tool that runs the command. */
  names: readonly string[];
}

function isCovered({ command, reasons }: Part, list: readonly Rule[], where: Where): boolean {
  if (reasons.length === 0 || command.context.includes('guessed')) return true;
  const covers = (redirection: Redirection): boolean => coversRedirection(redirection, list, where);
  if (onlyStarts(command) && command.redirections.every(covers)) return true;
  return list.some((rule) => {
    if (!namesTool(rule, where.names)) return false;
    if (rule.pattern.kind !== 'command') return rule.pattern.kind === 'everything';
    return (where.inRoot || !isExact(rule.pattern.words)) && fitsCommand(rule.pattern.words, command, covers);
  });
}

/** A wrapper that needs no rule of its own, because what it starts does: timeout, nohup. */
function onlyStarts({ starts, program = '', hazards, assignments }: Part['command']): boolean {
  const wraps = TRANSPARENT.has(program) || program === 'nohup' || program === 'setsid';
  return starts === 'others' && wraps && assignments.length === 0 && hazards.every((hazard) => hazard === LASTING);
}

/** Where a pattern leaves room for more: input, the null device, and files that a rule on writing opens. */
function coversRedirection(redirection: Redirection, list: readonly Rule[], { context, inRoot }: Where): boolean {
  if (redirection.access === 'duplicate' || redirection.access === 'inline') return true;
  const { access, target } = redirection;
  if (target.kind !== 'static' || /^\/dev\/(?:tcp|udp)\//.test(target.text)) return false;
  if (access === 'read' || target.text === '/dev/null') return true;
  const location = locate(target.text, context);
  return inRoot && list.some((rule) => opensPath(rule, location, context));
}

function opensPath(rule: Rule, location: ReturnType<typeof locate>, context: PathContext): boolean {
  return rule.governs === 'write' && rule.pattern.kind === 'path' && allowsPath(rule.pattern.path, location, context);
}

function isHidden(reading: CommandReading & { parsed: true }): boolean {
  return reading.unseen.length > 0 || reading.redefines.length > 0;
}

function coversHidden({ allow: allowing, ask: asking, deny: denying }: Rules, names: readonly string[]): boolean {
  const everything = allowing.some((rule) => rule.pattern.kind === 'everything' && namesTool(rule, names));
  return everything && ![...asking, ...denying].some((rule) => namesTool(rule, names) || rule.pattern.kind === 'path');
}

/** The parts that need the answer, word for word; none when any of them is not fixed by its text, or runs elsewhere. */
function rememberParts(parts: readonly Part[], tool: string): string[] {
  const needed = parts.filter(({ command, reasons }) => {
    const free = command.context.includes('guessed') || (onlyStarts(command) && command.redirections.length === 0);
    return reasons.length > 0 && !free;
  });
  const fixed = needed.every(
    ({ command: { words, assignments, redirections, context } }) =>
      words.length > 0 &&
      !context.includes('detached') &&
      words.every((word) => word.kind === 'static') &&
      assignments.every(({ value }) => value.kind === 'static') &&
      redirections.every(
        (redirection) =>
          redirection.access === 'duplicate' ||
          (redirection.access !== 'inline' && redirection.target.kind === 'static'),
      ),
  );
  return fixed ? [...new Set(needed.map(({ command }) => `${tool}(${spellCommand(command)})`))] : [];
}
