// Input that starts with `tool:` runs tools directly. The first line is the call, the rest is the question about it.
// Forms: tool:name · tool:name {json} · tool:{"name":…,"args":…} · tool:[{…},{…}]. Nothing runs unless all of it parses.
import { DEEPEST_ARGS, isDeeperThan } from '../lib/depth.ts';
import type { ToolArgs } from '../tools/tool.ts';

export interface ManualCall {
  name: string;
  args: ToolArgs;
}

export type ManualTrigger =
  | { kind: 'calls'; calls: ManualCall[]; question: string }
  | { kind: 'unparsable'; tool: string; message: string };

const PREFIX = 'tool:';
const FORMS = 'expected tool:name, tool:name {"json":…}, tool:{"name":…,"args":{…}} or tool:[{…},{…}]';
const UNNAMED = '(unparsed)';

export function parseManualTrigger(input: string): ManualTrigger | undefined {
  const trimmed = input.trimStart();
  if (!trimmed.startsWith(PREFIX)) return undefined;
  const newline = trimmed.indexOf('\n');
  const call = trimmed.slice(PREFIX.length, newline < 0 ? undefined : newline).trim();
  const question = newline < 0 ? '' : trimmed.slice(newline + 1).trim();
  const parsed = call.startsWith('{') || call.startsWith('[') ? parseJsonForm(call) : parseNameForm(call);
  return 'calls' in parsed ? { kind: 'calls', calls: parsed.calls, question } : { kind: 'unparsable', ...parsed };
}

type Parsed = { calls: ManualCall[] } | { tool: string; message: string };

function parseNameForm(call: string): Parsed {
  const [, name = '', rest = ''] = /^(\S*)\s*(.*)$/s.exec(call) ?? [];
  if (name === '') return { tool: UNNAMED, message: `there is no tool name after "tool:"; ${FORMS}` };
  if (rest === '') return { calls: [{ name, args: {} }] };
  const args = parseJson(rest);
  if (!args.ok) return { tool: name, message: `the arguments are not valid JSON (${args.problem}); ${FORMS}` };
  if (!isObject(args.value)) return { tool: name, message: `the arguments must be a JSON object; ${FORMS}` };
  return { calls: [{ name, args: args.value }] };
}

function parseJsonForm(call: string): Parsed {
  const parsed = parseJson(call);
  if (!parsed.ok) return { tool: UNNAMED, message: `the call is not valid JSON (${parsed.problem}); ${FORMS}` };
  const items = Array.isArray(parsed.value) ? parsed.value : [parsed.value];
  if (items.length === 0) return { tool: UNNAMED, message: `the list of calls is empty; ${FORMS}` };
  const calls: ManualCall[] = [];
  for (const item of items) {
    if (!isObject(item) || typeof item.name !== 'string' || item.name === '') {
      return { tool: UNNAMED, message: `each call needs a "name"; ${FORMS}` };
    }
    const { name, args = {}, ...others } = item;
    if (!isObject(args)) return { tool: name as string, message: `"args" must be a JSON object; ${FORMS}` };
    const unknown = Object.keys(others).filter((key) => key !== 'id');
    if (unknown.length > 0)
      return { tool: name as string, message: `a call has "name" and "args", not "${unknown.join('", "')}"; ${FORMS}` };
    calls.push({ name: name as string, args });
  }
  return { calls };
}

function parseJson(text: string): { ok: true; value: unknown } | { ok: false; problem: string } {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(value, DEEPEST_ARGS + 2) ? { ok: false, problem: 'nested too deeply' } : { ok: true, value };
  } catch (error) {
    return { ok: false, problem: (error as Error).message };
  }
}

function isObject(value: unknown): value is ToolArgs {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
