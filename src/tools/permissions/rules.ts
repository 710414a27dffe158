// The rules of permissions.json in Lainclaw's home: {version: 1, allow: [...], ask: [...], deny: [...]}. A rule is a tool's
// name, or a name with a pattern in parentheses: bash, bash(git status*), file_write(docs/**), mcp__*. An alias of a tool
// is the same tool, and the tool says what a pattern of it describes. Deny beats ask beats allow. All errors of a file are told at once, and a file with an error gives no rules:
// a deny rule with a slip in it must not be dropped silently.
import { nearest } from '../../lib/nearest.ts';
import type { ToolRules, ToolSpec } from '../tool.ts';
import { parseChatPattern } from './chat-pattern.ts';
import { type CommandPattern, parseCommandPattern } from './command-pattern.ts';
import { type PathPattern, parsePathPattern } from './path-pattern.ts';
import type { TargetPattern } from './target-pattern.ts';
import { parseUrlPattern } from './url-pattern.ts';

export const LISTS = ['allow', 'ask', 'deny'] as const;
export type List = (typeof LISTS)[number];

export interface Rule {
  /** As it was written. */
  text: string;
  /** A name; `*` in it stands for any text. */
  tool: string;
  pattern:
    | { kind: 'everything' }
    | { kind: 'command'; source: string; words: CommandPattern }
    | { kind: 'path'; path: PathPattern }
    | { kind: 'url' | 'chat'; target: TargetPattern };
  /** Of a path rule: it is about the files, whichever tool reads or changes them. */
  governs?: ToolRules['governs'];
}

/** What reading the rules takes of each tool. */
export type RuledTool = Pick<ToolSpec, 'name' | 'aliases' | 'rules'>;

export type Rules = Readonly<Record<List, readonly Rule[]>>;

export const NO_RULES: Rules = { allow: [], ask: [], deny: [] };

export type ParsedRules = { ok: true; rules: Rules } | { ok: false; errors: readonly string[] };
export type ParsedRule = { ok: true; rule: Rule } | { ok: false; error: string };

const ACCEPTED = 'accepted are bash, bash(git status*), file_write(docs/**), mcp__*';

/** `tools`: those that exist; a rule for another one is an error, unless it has a `*` or starts with mcp__. */
export function parseRules(text: string, tools: readonly RuledTool[]): ParsedRules {
  let content: unknown;
  try {
    content = JSON.parse(text);
  } catch (error) {
    return { ok: false, errors: [`permissions.json is not JSON: ${error instanceof Error ? error.message : error}`] };
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    return { ok: false, errors: ['permissions.json must be an object: {"version":1,"allow":[],"ask":[],"deny":[]}'] };
  const errors: string[] = [];
  const entries = content as Record<string, unknown>;
  if (entries.version !== 1) errors.push(`version is ${JSON.stringify(entries.version)}; accepted is 1`);
  for (const key of Object.keys(entries)) {
    if (key === 'version' || LISTS.some((list) => list === key)) continue;
    const meant = nearest(key, LISTS);
    errors.push(
      `"${key}" is not known; accepted are version, allow, ask, deny${meant ? ` (did you mean "${meant}"?)` : ''}`,
    );
  }
  const read = (list: List): Rule[] => {
    const given = entries[list] ?? [];
    if (!Array.isArray(given)) {
      errors.push(`"${list}" must be an array of rules`);
      return [];
    }
    return given.flatMap((entry: unknown, index) => {
      const parsed = parseRule(entry, tools);
      if (parsed.ok) return [parsed.rule];
      errors.push(`${list}[${index}] ${JSON.stringify(entry)}: ${parsed.error}`);
      return [];
    });
  };
  const rules = { allow: read('allow'), ask: read('ask'), deny: read('deny') };
  return errors.length > 0 ? { ok: false, errors } : { ok: true, rules };
}

export function parseRule(entry: unknown, tools: readonly RuledTool[]): ParsedRule {
  if (typeof entry !== 'string') return { ok: false, error: `a rule is a text; ${ACCEPTED}` };
  const text = entry.trim();
  const found = /^([A-Za-z_*][\w.*-]*)(?:\((.*)\))?$/s.exec(text);
  const [, tool = '', source] = found ?? [];
  if (!found) return { ok: false, error: `not a tool's name, or a name with a pattern in parentheses; ${ACCEPTED}` };
  const ruled = tools.find(({ name, aliases = [] }) => name === tool || aliases.includes(tool));
  if (!ruled && !tool.includes('*') && !tool.startsWith('mcp__')) {
    const names = tools.flatMap(({ name, aliases = [] }) => [name, ...aliases]);
    const meant = nearest(tool, names);
    return { ok: false, error: `there is no tool "${tool}"${meant ? `; did you mean "${meant}"?` : ''}` };
  }
  if (source === undefined || source.trim() === '*')
    return { ok: true, rule: { text, tool, pattern: { kind: 'everything' } } };
  if (tool.includes('*')) return { ok: false, error: 'a pattern in parentheses needs the full name of one tool' };
  const parsed = parsePattern(source, ruled?.rules?.pattern ?? 'path');
  if (!parsed.ok) return parsed;
  const governs = parsed.pattern.kind === 'path' ? ruled?.rules?.governs : undefined;
  return { ok: true, rule: { text, tool, pattern: parsed.pattern, ...(governs && { governs }) } };
}

type ParsedPattern = { ok: true; pattern: Rule['pattern'] } | { ok: false; error: string };

function parsePattern(source: string, kind: ToolRules['pattern']): ParsedPattern {
  switch (kind) {
    case 'command': {
      const parsed = parseCommandPattern(source);
      return parsed.ok ? { ok: true, pattern: { kind, source, words: parsed.pattern } } : parsed;
    }
    case 'path': {
      const parsed = parsePathPattern(source);
      return parsed.ok ? { ok: true, pattern: { kind, path: parsed.pattern } } : parsed;
    }
    case 'url':
    case 'chat': {
      const parsed = kind === 'url' ? parseUrlPattern(source) : parseChatPattern(source);
      return parsed.ok ? { ok: true, pattern: { kind, target: parsed.pattern } } : parsed;
    }
  }
}

/** Whether a rule is about a tool with these names: its own and its aliases. */
export function namesTool({ tool }: Rule, names: readonly string[]): boolean {
  if (!tool.includes('*')) return names.includes(tool);
  const pattern = new RegExp(`^${tool.replace(/[.-]/g, '\\$&').replaceAll('*', '.*')}$`);
  return names.some((name) => pattern.test(name));
}
