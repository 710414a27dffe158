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
//  6. Otherwise ask. Without anyone to ask, the caller denies.
//
// A marked turn has content from outside (web, files not written by the user, other people's messages, MCP results, skills).
// In it, policy must hold even if the model obeys that content: sending, running and writing outside the workspace need a
// person's approval in that turn. So there
//  - allow rules do not apply to effects exec and send, nor to a write that is not inside the workspace (a tool that names no
//    path writes somewhere else); such calls ask even when the tool requires no permission;
//  - allow rules still apply to writes inside the workspace, except protected paths;
//  - an answer for the session applies only when it was itself given in a marked turn, when the person knew;
//  - whatever asks there says so (isMarked), also when it would ask anyway: no --approve=auto stands in for the person;
//  - reading stays free: the read-only commands are a fixed table that neither sends, writes nor runs anything else.
import { decideCommand } from './decide-command.ts';
import { decidePath } from './decide-path.ts';
import { allow, ask, askedBy, type DecideInput, type Decision, deniedBy, deny, MARKED } from './decision.ts';
import { callQuestion } from './question.ts';
import { namesTool, type Rule } from './rules.ts';

export function decide(input: DecideInput): Decision {
  const { spec, call } = input;
  if (spec.name === 'bash' && typeof call.args.command === 'string') return decideCommand(input, call.args.command);
  if (typeof call.args.path === 'string') return decidePath(input, call.args.path);
  return spec.inputSchema.properties.path ? decidePath(input, '.') : decideCall(input);
}

/** A call without a command or a path: only the tool's name can be matched. */
function decideCall({ spec, call, rules, marked }: DecideInput): Decision {
  const names = [spec.name, ...(spec.aliases ?? [])];
  const base = { question: callQuestion(call) };
  // A pattern cannot see into this call: deny and ask rules are taken for the whole tool, allow rules do not apply.
  const about = (rule: Rule): boolean => namesTool(rule, names);
  const denying = rules.deny.find(about);
  if (denying) return deny(base, deniedBy(denying));
  const asking = rules.ask.find(about);
  if (asking) return ask(base, [...(marked && spec.effect !== 'read' ? [MARKED] : []), askedBy(asking)]);
  if (spec.effect === 'read') return allow(base);
  if (marked) return ask(base, [MARKED]);
  const allowed = rules.allow.some((rule) => rule.pattern.kind === 'everything' && about(rule));
  return !spec.requiresPermission || allowed ? allow(base) : ask(base, [`${call.name} needs permission`]);
}
