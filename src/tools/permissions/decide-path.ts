// A call on one path. Where a tool says that it only reads and its subject that it writes, the subject counts.
import { posix } from 'node:path';
import { reasonText } from '../../vocabulary/reasons.ts';
import type { Access, PathSubject } from '../subject.ts';
import type { ToolEffect } from '../tool.ts';
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
import { isAboutReading } from './hidden-paths.ts';
import { allowsPath, touchesPath } from './path-pattern.ts';
import { isInside, type Location, locate, type PathContext } from './paths.ts';
import { callQuestion, fileQuestion } from './question.ts';
import { namesTool, type Rule } from './rules.ts';
import { type Objection, objectToRead, objectToWrite } from './sensitive-paths.ts';

const OUTSIDE = reasonText('outside-workspace');

export function decidePath(input: DecideInput, { path, access }: PathSubject): Decision {
  const { spec, call, rules, remembered, taint, mode } = input;
  const effect = spec.effect === 'read' && access === 'write' ? 'write' : spec.effect;
  const context = { ...input.context, directory: input.context.workspaceRoot, tainted: taint.length > 0 };
  const names = namesOf(spec);
  const location = locate(path, context);
  const concerns = (rule: Rule): boolean =>
    namesTool(rule, names) || (spec.handlesFiles !== undefined && isAboutReading(rule));
  const touches = (rule: Rule): boolean =>
    concerns(rule) && (rule.pattern.kind !== 'path' || touchesPath(rule.pattern.path, path, location, context));
  const allows = (rule: Rule): boolean =>
    namesTool(rule, names) &&
    (rule.pattern.kind === 'everything' ||
      (rule.pattern.kind === 'path' && allowsPath(rule.pattern.path, location, context)));
  // What runs or sends is more than its path: it is shown whole, and no answer about the path speaks for the rest.
  const isMore = effect === 'exec' || effect === 'send';
  const objection = strictestObjection(effect, access, location, context);
  // An edit of an ordinary file of the workspace is contained; what runs, sends, or leads elsewhere is not.
  const isOrdinary = effect === 'write' && location.relative !== undefined && objection === undefined;
  const leaves = !isOrdinary || input.wayOut !== undefined;
  const needsPerson = taint.length > 0 && (effect === 'read' ? objection !== undefined : leaves);
  const tainted = needsPerson ? personReasons(input) : [];
  const judged = { changes: effect !== 'read', needsPerson };
  const base = isMore
    ? { ...judged, question: callQuestion(call) }
    : {
        ...judged,
        question: fileQuestion(effect, call, location.relative ?? location.path),
        rememberAs: rememberPath(spec.name, location),
      };

  const denying = rules.deny.find(touches);
  if (denying) return deny(base, deniedBy(denying));
  // Where the tool reads through the workspace it reaches nothing outside: that refuses by itself, in its own words.
  if (effect === 'read' && location.relative === undefined && spec.handlesFiles) return allow(base, ALLOWED_BY.reading);
  if (objection?.verdict === 'deny') return deny(base, objection.reason);
  if (objection) {
    const asked = ask({ ...judged, question: base.question }, [...tainted, objection.reason]);
    return objection.notByMode ? { ...asked, notByMode: true } : asked;
  }

  const answered = !isMore && answersFor(remembered, needsPerson).some(allows);
  if (answered) return allow(base, ALLOWED_BY.answer);
  const reaches = (rule: Rule): boolean => concerns(rule) && liesBelow(rule, location, context.workspaceRoot);
  // What is denied below is left out of the result by tools that handle files; the others ask.
  const asking =
    spec.handlesFiles === 'names'
      ? rules.ask.find((rule) => namesTool(rule, names) && (touches(rule) || reaches(rule)))
      : (rules.ask.find(touches) ?? [...(spec.handlesFiles ? [] : rules.deny), ...rules.ask].find(reaches));
  if (asking) return ask({ ...base, scopes: ['session'] }, [...tainted, askedBy(asking)]);
  if (effect === 'read')
    return location.relative === undefined
      ? ask({ ...judged, question: base.question }, [OUTSIDE])
      : allow(base, ALLOWED_BY.reading);
  if (needsPerson) return ask({ ...base, scopes: ['session'] }, tainted);
  const needsPermission = spec.requiresPermission || effect !== spec.effect;
  if (!needsPermission) return allow(base, ALLOWED_BY.needsNone);
  if (rules.allow.some(allows)) return allow(base, ALLOWED_BY.rule);
  if (mode === 'accept-edits' && !leaves) return allow(base, reasonText('mode-edits'));
  return ask({ ...base, scopes: ['session', 'always'] }, [reasonText('needs-permission', { tool: call.name })]);
}

/** What runs or sends may do either with the path, whatever it says: then both lists of protected paths hold. */
function strictestObjection(
  effect: ToolEffect,
  access: Access,
  location: Location,
  context: PathContext,
): Objection | undefined {
  const isMore = effect === 'exec' || effect === 'send';
  const objections = [
    effect !== 'read' && (access === 'write' || isMore) ? objectToWrite(location, context) : undefined,
    access === 'read' ? objectToRead(location, context) : undefined,
  ].filter((objection) => objection !== undefined);
  return objections.find(({ verdict }) => verdict === 'deny') ?? objections[0];
}

/** A search or listing from here reaches what the rule is about. */
function liesBelow({ pattern }: Rule, { path }: Location, workspaceRoot: string): boolean {
  if (pattern.kind !== 'path') return false;
  const fixed = pattern.path.source.replace(/[^/]*[*?[{].*$/s, '');
  const base = posix.resolve(workspaceRoot, fixed.replace(/\/$/, ''));
  return base !== path || fixed === '' ? isInside(base, path) : false;
}

/** The exact path; nothing when it cannot be written as a pattern without meaning more. */
function rememberPath(tool: string, { relative }: Location): string[] {
  const special = relative === undefined || /[*?[\](){}!+@|\\\n]|^~/.test(relative);
  return special ? [] : [`${tool}(${relative})`];
}
