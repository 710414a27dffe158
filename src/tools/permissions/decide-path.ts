// A call on a path: the file tools, and any tool with a `path`.
import { posix } from 'node:path';
import {
  allow,
  answersFor,
  ask,
  askedBy,
  type DecideInput,
  type Decision,
  deniedBy,
  deny,
  MARKED,
} from './decision.ts';
import { isAboutReading } from './hidden-paths.ts';
import { allowsPath, touchesPath } from './path-pattern.ts';
import { isInside, type Location, locate } from './paths.ts';
import { callQuestion, fileQuestion } from './question.ts';
import { namesTool, type Rule } from './rules.ts';
import { objectToRead, objectToWrite } from './sensitive-paths.ts';

export function decidePath(input: DecideInput, path: string): Decision {
  const { spec, call, rules, remembered, marked } = input;
  const context = { ...input.context, directory: input.context.workspaceRoot };
  const names = [spec.name, ...(spec.aliases ?? [])];
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
  const isMore = spec.effect === 'exec' || spec.effect === 'send';
  const base = isMore
    ? { question: callQuestion(call) }
    : {
        question: fileQuestion(spec, call, location.relative ?? location.path),
        rememberAs: rememberPath(spec.name, location),
      };

  // What a marked turn may not do without a person; a protected path is never only a write inside the workspace.
  const restricted = spec.effect !== 'read' && (spec.effect !== 'write' || location.relative === undefined);
  const mark = marked ? [MARKED] : [];

  const denying = rules.deny.find(touches);
  if (denying) return deny(base, deniedBy(denying));
  // A reading tool reaches nothing outside: the workspace itself refuses, in its own words.
  if (spec.effect === 'read' && location.relative === undefined) return allow(base);
  const objection = spec.effect === 'read' ? objectToRead(location, context) : objectToWrite(location, context);
  if (objection?.verdict === 'deny') return deny(base, objection.reason);
  if (objection) return ask({ question: base.question }, [...mark, objection.reason]);

  const answered = !isMore && answersFor(remembered, marked).some(allows);
  if (answered) return allow(base);
  const reaches = (rule: Rule): boolean => concerns(rule) && liesBelow(rule, location, context.workspaceRoot);
  // What is denied below is left out of the result by tools that handle files; the others ask.
  const asking =
    spec.handlesFiles === 'names'
      ? rules.ask.find((rule) => namesTool(rule, names) && (touches(rule) || reaches(rule)))
      : (rules.ask.find(touches) ?? [...(spec.handlesFiles ? [] : rules.deny), ...rules.ask].find(reaches));
  if (asking) return ask({ ...base, scopes: ['session'] }, [...(restricted ? mark : []), askedBy(asking)]);
  if (spec.effect === 'read') return allow(base);
  if (marked && restricted) return ask({ ...base, scopes: ['session'] }, mark);
  if (!spec.requiresPermission || rules.allow.some(allows)) return allow(base);
  return ask({ ...base, scopes: ['session', 'always'] }, [`${call.name} needs permission`]);
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
