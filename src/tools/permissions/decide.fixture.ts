// Test support: decisions from rule texts and call arguments.
import type { ToolArgs, ToolSpec } from '../tool.ts';
import { decide } from './decide.ts';
import type { DecideContext, Decision } from './decision.ts';
import { type Remembered, rememberForSession } from './remembered.ts';
import { parseRules } from './rules.ts';

export const ROOT = '/home/u/project';

export const SPECS = {
  bash: spec('bash', 'exec', true, ['command', 'cwd']),
  write: { ...spec('file_write', 'write', true, ['path', 'content']), handlesFiles: 'contents' },
  edit: { ...spec('file_edit', 'write', true, ['path', 'oldText', 'newText']), handlesFiles: 'contents' },
  read: { ...spec('fs.read_file', 'read', false, ['path'], ['file_read']), handlesFiles: 'contents' },
  grep: { ...spec('grep', 'read', false, ['pattern', 'path']), handlesFiles: 'contents' },
  glob: { ...spec('glob', 'read', false, ['pattern', 'path']), handlesFiles: 'names' },
  mcpSearch: spec('mcp__files__search', 'read', false, ['path']),
  send: spec('send_message', 'send', true, ['channel', 'chatId', 'text']),
  remember: spec('memory_save', 'write', false, ['content']),
  mcp: spec('mcp__github__create_issue', 'send', true, ['title']),
} satisfies Record<string, ToolSpec>;

export interface Case {
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
  marked?: boolean;
  /** Answered "this session" before. */
  answered?: { as: readonly string[]; marked?: boolean };
  context?: Partial<DecideContext>;
}

export function createDecider(context: Partial<DecideContext>) {
  return (tool: keyof typeof SPECS, args: ToolArgs, given: Case = {}): Decision => {
    const { allow = [], ask = [], deny = [], marked = false, answered } = given;
    const parsed = parseRules(JSON.stringify({ version: 1, allow, ask, deny }));
    if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
    const remembered: Remembered = answered ? rememberForSession([], answered.as, answered.marked ?? false) : [];
    return decide({
      spec: SPECS[tool],
      call: { id: 'c1', name: SPECS[tool].name, args, source: 'model' },
      rules: parsed.rules,
      remembered,
      marked,
      context: {
        workspaceRoot: ROOT,
        directory: ROOT,
        userHome: '/home/u',
        lainclawHome: '/home/u/.lainclaw',
        ...context,
        ...given.context,
      },
    });
  };
}

function spec(
  name: string,
  effect: ToolSpec['effect'],
  requiresPermission: boolean,
  properties: readonly string[],
  aliases: readonly string[] = [],
): ToolSpec {
  return {
    name,
    aliases,
    effect,
    requiresPermission,
    timeoutMs: 1_000,
    inputSchema: {
      type: 'object',
      properties: Object.fromEntries(properties.map((property) => [property, { type: 'string' }])),
      additionalProperties: false,
    },
    execute: () => Promise.reject(new Error('not run here')),
  };
}
