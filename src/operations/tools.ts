// The tools that can be called, and calling one without a model.

import { MODES } from '../config/mode.ts';
import { LANGUAGES } from '../config/settings.ts';
import { DEEPEST_ARGS, isDeeperThan } from '../lib/depth.ts';
import { nearest } from '../lib/nearest.ts';
import { newId } from '../lib/new-id.ts';
import type { RuntimeWorkspace } from '../runtime/workspace.ts';
import type { Registry } from '../tools/registry.ts';
import type { Toolbox } from '../tools/toolbox.ts';
import { CodedError } from '../vocabulary/coded-error.ts';
import { OWNER } from '../vocabulary/memory-scope.ts';
import { defineOperation, type OperationContext } from './operation.ts';
import { listOf, objectWith, TEXT, YES_OR_NO } from './schemas.ts';
import { withWorkspace } from './with-workspace.ts';

const ALLOW = { ...listOf(TEXT), description: 'only these tools; all of them without it' } as const;
const TOOL_FIELDS = { name: TEXT, description: TEXT, inputSchema: {} } as const;
const META = { type: 'object', properties: { durationMs: { type: 'number' } }, required: ['durationMs'] } as const;
const ERROR = objectWith(
  { code: { enum: ['tool_not_found', 'invalid_args', 'execution_error'] }, message: TEXT },
  { reason: TEXT },
);
const PICTURES = { ...listOf({}), description: 'each in a file' } as const;

export const listTools = defineOperation({
  name: 'tools.list',
  class: 'read',
  summary: 'List the tools that can be called, also those of MCP servers.',
  input: {
    type: 'object',
    properties: {
      allow: ALLOW,
      aliases: { ...YES_OR_NO, default: true, description: 'also second names of the same tool' },
      language: { enum: LANGUAGES, description: 'of the descriptions; by default the language of the configuration' },
    },
    additionalProperties: false,
  },
  output: listOf(objectWith({ ...TOOL_FIELDS, requiresPermission: YES_OR_NO })),
  run: ({ allow, aliases, language }, context) =>
    withToolbox(allow, context, async ({ toolbox, registry }) => {
      const listed = aliases ? registry.list() : registry.distinct();
      const described = await toolbox.describe(listed, language);
      return described.map((tool, index) => ({
        ...tool,
        requiresPermission: listed[index]?.spec.requiresPermission ?? false,
      }));
    }),
});

export const describeTool = defineOperation({
  name: 'tools.info',
  class: 'read',
  summary: 'Describe a tool: its parameters, how it runs, and whether it can be used here.',
  input: {
    type: 'object',
    properties: { name: TEXT, allow: ALLOW },
    required: ['name'],
    additionalProperties: false,
  },
  output: objectWith(
    {
      ...TOOL_FIELDS,
      effect: { enum: ['read', 'write', 'exec', 'send'] },
      requiresPermission: YES_OR_NO,
      timeoutMs: { type: 'number' },
      cacheable: YES_OR_NO,
      aliases: listOf(TEXT),
      source: { enum: ['mcp', 'builtin'] },
      available: YES_OR_NO,
    },
    { unavailableBecause: TEXT },
  ),
  run: ({ name, allow }, context) =>
    withToolbox(allow, context, async ({ toolbox, registry }) => {
      const spec = registry.get(name);
      const [tool] = spec ? await toolbox.describe([{ name, spec }]) : [];
      if (!spec || !tool) throw unknownTool(name, registry);
      const unavailable = await spec.unavailable?.();
      return {
        ...tool,
        effect: spec.effect,
        requiresPermission: spec.requiresPermission,
        timeoutMs: spec.timeoutMs,
        cacheable: spec.fingerprint !== undefined,
        aliases: [spec.name, ...(spec.aliases ?? [])].filter((other) => other !== name),
        source: spec.name.startsWith('mcp__') ? ('mcp' as const) : ('builtin' as const),
        available: unavailable === undefined,
        ...(unavailable !== undefined && { unavailableBecause: unavailable }),
      };
    }),
});

export const invokeTool = defineOperation({
  name: 'tools.invoke',
  class: 'danger',
  keepsNothing: true,
  summary: 'Call a tool without a model; a failure of the tool is in the result.',
  input: {
    type: 'object',
    properties: {
      name: TEXT,
      args: { type: 'object', default: {} as Readonly<Record<string, unknown>> },
      allow: ALLOW,
      mode: { enum: MODES, default: 'ask', description: 'ask: refused where nobody can be asked' },
    },
    required: ['name'],
    additionalProperties: false,
  },
  output: objectWith(
    {
      call: objectWith({ id: TEXT, name: TEXT, args: { type: 'object' }, source: TEXT }),
      result: {
        anyOf: [
          objectWith({ ok: { const: true }, data: {}, meta: META }, { pictures: PICTURES }),
          objectWith({ ok: { const: false }, error: ERROR, meta: META }, { data: {}, pictures: PICTURES }),
        ],
      },
      text: { type: 'string', description: 'what a model would receive' },
    },
    { nearest: { type: 'string', description: 'the tool that was perhaps meant, where there is none of that name' } },
  ),
  run: ({ name, args, allow, mode }, context) =>
    withToolbox(allow, context, async ({ workspace, toolbox, registry }) => {
      if (isDeeperThan(args, DEEPEST_ARGS))
        throw new CodedError('INVALID_INPUT', 'tools.invoke: args is nested too deeply');
      const call = { id: newId('call'), name, args: { ...args }, source: sourceOf(context) };
      const executor = toolbox.executor({
        reader: OWNER,
        who: 'owner',
        registry,
        mode,
        ...(registry.get(name)?.startsTurns && {
          delegation: await (await import('../runtime/call-by-hand.ts')).delegationByHand(context.runtime, workspace, {
            registry,
            mode,
            id: call.id,
            ...(typeof args.injectInto === 'string' && { chat: args.injectInto }),
          }),
        }),
      });
      const { result, text } = await executor.execute(call, context.signal, context.onOutput);
      const isUnknown = !result.ok && result.error.code === 'tool_not_found';
      const close = isUnknown ? nearestTool(name, registry) : undefined;
      return { call, result, text, ...(close !== undefined && { nearest: close }) };
    }),
});

interface Tools {
  workspace: RuntimeWorkspace;
  toolbox: Toolbox;
  registry: Registry;
}

/** In the workspace that is open where it is asked, otherwise in one of its own. */
async function withToolbox<T>(
  allow: readonly string[] | undefined,
  { runtime, workspace: root, opened, person, signal }: OperationContext,
  use: (tools: Tools) => Promise<T>,
): Promise<T> {
  const useIn = async (workspace: RuntimeWorkspace): Promise<T> => {
    const toolbox = await workspace.toolbox();
    await toolbox.refresh(signal);
    return use({ workspace, toolbox, registry: toolbox.visible(allow) });
  };
  return opened ? useIn(opened) : withWorkspace(runtime, { ...person, root }, useIn);
}

function sourceOf({ by }: OperationContext): string {
  return by === undefined || by.place === 'terminal' ? 'cli' : by.place;
}

function unknownTool(name: string, registry: Registry): CodedError {
  const close = nearestTool(name, registry);
  const hint = close ? ` (did you mean ${close}?)` : '; "lainclaw tools list" shows what there is';
  return new CodedError('tool_not_found', `there is no tool "${name}" here${hint}`);
}

function nearestTool(name: string, registry: Registry): string | undefined {
  return nearest(
    name,
    registry.list().map((tool) => tool.name),
  );
}
