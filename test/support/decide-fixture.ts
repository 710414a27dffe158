// Test support: decisions from rule texts and call arguments.

import type { Mode } from '../../src/config/mode.ts';
import type { NetworkRequest } from '../../src/tools/network/network-request.ts';
import { decide } from '../../src/tools/permissions/decide.ts';
import type { DecideContext, Decision } from '../../src/tools/permissions/decision.ts';
import { parseRules } from '../../src/tools/permissions/permissions-file.ts';
import { type Remembered, rememberForSession } from '../../src/tools/permissions/remembered.ts';
import type { ToolSubject } from '../../src/tools/subject.ts';
import type { ToolArgs, ToolEffect, ToolSpec } from '../../src/tools/tool.ts';

export const ROOT = '/home/u/project';

export const SPECS = {
  bash: { ...spec('bash', 'exec', true, ['command', 'cwd']), rules: { pattern: 'command' } },
  write: {
    ...spec('file_write', 'write', true, ['path', 'content']),
    handlesFiles: 'contents',
    rules: { pattern: 'path', governs: 'write' },
  },
  edit: {
    ...spec('file_edit', 'write', true, ['path', 'oldText', 'newText']),
    handlesFiles: 'contents',
    rules: { pattern: 'path', governs: 'change' },
  },
  read: {
    ...spec('fs.read_file', 'read', false, ['path'], ['file_read']),
    handlesFiles: 'contents',
    rules: { pattern: 'path', governs: 'read' },
  },
  grep: { ...spec('grep', 'read', false, ['pattern', 'path']), handlesFiles: 'contents' },
  glob: { ...spec('glob', 'read', false, ['pattern', 'path']), handlesFiles: 'names' },
  mcpSearch: spec('mcp__files__search', 'read', false, ['path']),
  send: { ...spec('send_message', 'send', true, ['channel', 'chatId', 'text']), rules: { pattern: 'chat' } },
  fetch: { ...spec('web_fetch', 'read', true, ['url']), rules: { pattern: 'url' } },
  move: spec('file_move', 'write', true, ['from', 'to']),
  remember: { ...spec('memory_save', 'write', false, ['content']), lasts: true },
  configure: { ...spec('config_set', 'write', true, ['key', 'value']), lasts: true, alwaysAsks: true },
  code: spec('code_execute', 'exec', true, ['code']),
  mcp: spec('mcp__github__create_issue', 'send', true, ['title']),
} satisfies Record<string, ToolSpec>;

export interface Case {
  allow?: readonly string[];
  ask?: readonly string[];
  deny?: readonly string[];
  tainted?: boolean;
  mode?: Mode;
  /** What runs is in a sandbox without network. */
  isContained?: boolean;
  /** Answered "this session" before. */
  answered?: { as: readonly string[]; tainted?: boolean };
  context?: Partial<DecideContext>;
  network?: NetworkRequest;
}

export function createDecider(context: Partial<DecideContext>) {
  return (tool: keyof typeof SPECS, args: ToolArgs, given: Case = {}): Decision => {
    const { allow = [], ask = [], deny = [], tainted = false, mode = 'ask', isContained = false, answered } = given;
    const tools = Object.values(SPECS);
    const parsed = parseRules(JSON.stringify({ version: 1, allow, ask, deny }), tools);
    if (!parsed.ok) throw new Error(parsed.errors.join('\n'));
    const remembered: Remembered = answered
      ? rememberForSession([], answered.as, { tainted: answered.tainted ?? false, tools })
      : [];
    return decide({
      network: given.network,
      spec: SPECS[tool],
      call: { id: 'c1', name: SPECS[tool].name, args, source: 'model' },
      rules: parsed.rules,
      remembered,
      mode,
      taint: tainted ? ['mcp:x'] : [],
      isContained,
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
    subject: (args) => subjectOf(args, effect, properties),
    execute: () => Promise.reject(new Error('not run here')),
  };
}

function subjectOf(args: ToolArgs, effect: ToolEffect, properties: readonly string[]): ToolSubject {
  const { command, cwd, path, from, to, url, channel, chatId } = args as Record<string, string>;
  const access = effect === 'read' ? 'read' : 'write';
  if (command !== undefined) return { kind: 'command', command, directory: cwd };
  if (from !== undefined && to !== undefined)
    return { kind: 'paths', paths: [from, to].map((each) => ({ path: each, access })) };
  if (url !== undefined) return { kind: 'url', url };
  if (channel !== undefined && chatId !== undefined) return { kind: 'chat', channel, chatId };
  const isOnPath = path !== undefined || properties.includes('path');
  return isOnPath ? { kind: 'path', path: path ?? '.', access } : { kind: 'none' };
}
