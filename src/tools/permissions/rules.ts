// A rule of permissions.json is a tool's name, or a name with a pattern in parentheses: bash, bash(git status*),
// file_write(docs/**), mcp__*. An alias of a tool is the same tool, and the tool says what a pattern of it describes. Deny beats
// ask beats allow. A rule for a tool that is not here (a plugin's, another program's) is kept and waits for it.
import { editDistance, nearest } from '../../lib/nearest.ts';
import type { ToolRules, ToolSpec } from '../tool.ts';
import { parseChatPattern } from './chat-pattern.ts';
import { type CommandPattern, parseCommandPattern } from './command-pattern.ts';
import { parseHostPattern } from './host-pattern.ts';
import { type PathPattern, parsePathPattern } from './path-pattern.ts';
import type { TargetPattern } from './target-pattern.ts';
import { parseUrlPattern } from './url-pattern.ts';

export const LISTS = ['allow', 'ask', 'deny'] as const;
export type List = (typeof LISTS)[number];

export interface Rule {
  /** As it was written. */
  text: string;
  /** A name; `*` in it means any text. */
  tool: string;
  pattern:
    | { kind: 'everything' }
    | { kind: 'command'; source: string; words: CommandPattern }
    | { kind: 'path'; path: PathPattern }
    | { kind: 'url' | 'chat' | 'host'; target: TargetPattern }
    /** Of a tool that is not here: nobody can say what it describes. It allows nothing, and denies or asks for the whole tool. */
    | { kind: 'unknown' };
  /** Of a path rule: it is about the files, whichever tool reads or changes them. */
  governs?: ToolRules['governs'];
  /** Told when it denies, where it is not a rule of permissions.json. */
  reason?: string;
  /** No tool of that name is here. `meant`: the name that this one is perhaps a slip of. */
  absent?: { meant?: string };
}

/** What reading the rules takes of each tool. */
export type RuledTool = Pick<ToolSpec, 'name' | 'aliases' | 'rules'>;

/** What rules call the network of commands. It is not a tool: no call has this name. */
export const NETWORK: RuledTool = { name: 'network', rules: { pattern: 'host' } };

export type Rules = Readonly<Record<List, readonly Rule[]>>;

export const NO_RULES: Rules = { allow: [], ask: [], deny: [] };

export type ParsedRules = { ok: true; rules: Rules } | { ok: false; errors: readonly string[] };
export type ParsedRule = { ok: true; rule: Rule } | { ok: false; error: string };

const ACCEPTED = 'accepted are bash, bash(git status*), file_write(docs/**), mcp__*';

/** `tools`: those that are here. */
export function parseRule(entry: unknown, tools: readonly RuledTool[]): ParsedRule {
  if (typeof entry !== 'string') return { ok: false, error: `a rule is a text; ${ACCEPTED}` };
  const text = entry.trim();
  const found = /^([A-Za-z_*][\w.*-]*)(?:\((.*)\))?$/s.exec(text);
  const [, tool = '', source] = found ?? [];
  if (!found) return { ok: false, error: `not a tool's name, or a name with a pattern in parentheses; ${ACCEPTED}` };
  const ruled = [...tools, NETWORK].find(({ name, aliases = [] }) => name === tool || aliases.includes(tool));
  const absent = ruled || tool.includes('*') || tool.startsWith('mcp__') ? undefined : absence(tool, tools);
  const base = { text, tool, ...(absent && { absent }) };
  if (source === undefined || source.trim() === '*')
    return { ok: true, rule: { ...base, pattern: { kind: 'everything' } } };
  if (tool.includes('*')) return { ok: false, error: 'a pattern in parentheses needs the full name of one tool' };
  const parsed = parsePattern(source, ruled?.rules?.pattern ?? 'path');
  if (!parsed.ok) return absent ? { ok: true, rule: { ...base, pattern: { kind: 'unknown' } } } : parsed;
  const governs = parsed.pattern.kind === 'path' ? ruled?.rules?.governs : undefined;
  return { ok: true, rule: { ...base, pattern: parsed.pattern, ...(governs && { governs }) } };
}

/** One or two wrong letters are taken for a slip; a name that only resembles another is a tool of its own. */
function absence(tool: string, tools: readonly RuledTool[]): NonNullable<Rule['absent']> {
  const meant = nearest(
    tool,
    tools.flatMap(({ name, aliases = [] }) => [name, ...aliases]),
  );
  const slips = tool.length > 6 ? 2 : 1;
  return meant !== undefined && editDistance(tool, meant, slips + 1) <= slips ? { meant } : {};
}

const TARGET_PATTERNS = { url: parseUrlPattern, chat: parseChatPattern, host: parseHostPattern };

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
    case 'chat':
    case 'host': {
      const parsed = TARGET_PATTERNS[kind](source);
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
