import { describe, expect, it } from 'vitest';
import type { McpOutput } from '../../mcp/mcp.ts';
import { McpError } from '../../mcp/mcp-error.ts';
import type { KnownTools, McpServers } from '../../mcp/servers.ts';
import type { ToolContext } from '../tool.ts';
import { createServerTool } from './server-tool.ts';
import { createMcpTools } from './tools.ts';

const never = new AbortController().signal;
const offered = {
  server: 's',
  tool: { name: 'one', description: 'Does it.', inputSchema: { type: 'object' } },
  isTrusted: false,
};

function world() {
  const state = {
    source: undefined as string | undefined,
    asked: 0,
    time: 0,
    warned: [] as string[],
    changed: () => {},
    answer: async (): Promise<Pick<KnownTools, 'tools' | 'problems'>> => ({ tools: [offered], problems: [] }),
  };
  const servers = {
    tools: () => {
      state.asked += 1;
      return state.answer();
    },
    onChange: (listener: () => void) => {
      state.changed = listener;
    },
  } as unknown as McpServers;
  const tools = createMcpTools({
    source: async () => state.source,
    servers: async () => servers,
    warn: (text) => void state.warned.push(text),
    now: () => state.time,
  });
  return { state, names: async () => (await tools(never)).map(({ name }) => name), tools };
}

describe('the tools of MCP servers', () => {
  it('are none without an mcp.json, and the servers are not even asked', async () => {
    const { state, names } = world();
    expect([await names(), state.asked]).toEqual([[], 0]);
  });

  it('stay the same list until the file, or what a server offers, changes', async () => {
    const { state, tools, names } = world();
    state.source = 'a';
    const first = await tools(never);
    expect(await tools(never)).toBe(first);
    expect([await names(), state.asked]).toEqual([['mcp__s__one'], 1]);
    state.changed();
    expect(await tools(never)).not.toBe(first);
    state.source = 'b';
    await tools(never);
    expect(state.asked).toBe(3);
    state.source = undefined;
    state.answer = async () => ({ tools: [], problems: [] });
    expect(await names()).toEqual([]);
  });

  it('are looked at again after a minute where there was a problem', async () => {
    const { state, names } = world();
    state.source = 'a';
    state.answer = async () => ({ tools: [], problems: ['s: it burns'] });
    expect([await names(), state.warned]).toEqual([[], ['MCP server s: it burns']]);
    state.answer = async () => ({ tools: [offered], problems: [] });
    state.time = 59_999;
    expect(await names()).toEqual([]);
    state.time = 60_000;
    expect(await names()).toEqual(['mcp__s__one']);
  });

  it('are none with a file that cannot be read, which is reported once', async () => {
    const { state, names } = world();
    state.source = 'a';
    state.answer = async () => {
      throw new McpError('MCP_CONFIG', 'mcp.json is not valid JSON');
    };
    expect([await names(), await names(), state.warned]).toEqual([[], [], ['mcp.json is not valid JSON']]);
  });
});

describe('a tool of a server', () => {
  const context = { signal: never, progress: () => {} } as unknown as ToolContext;
  const run = (answer: () => Promise<McpOutput>) => createServerTool(offered, answer).execute({}, context);

  it('needs permission whatever its server says of it', () => {
    const spec = createServerTool(offered, async () => ({ ok: true, text: '', data: {} }));
    expect(spec).toMatchObject({ name: 'mcp__s__one', effect: 'exec', requiresPermission: true });
    expect(spec.fingerprint).toBeUndefined();
  });

  it('brings content from outside, also when it fails', async () => {
    const output = { text: 'said', data: { a: 1 } };
    expect(await run(async () => ({ ok: true, ...output }))).toEqual({
      ...output,
      meta: { tainted: true, taintedBy: ['mcp:s'] },
    });
    await expect(run(async () => ({ ok: false, ...output }))).rejects.toMatchObject({
      name: 'ToolFailure',
      output: { ...output, meta: { tainted: true, taintedBy: ['mcp:s'] } },
    });
  });

  it('lets its server ask those who can fill in a form, and nobody else', async () => {
    const given: unknown[] = [];
    const spec = createServerTool(offered, async (_, __, ___, { elicit }) => {
      given.push(elicit);
      return { ok: true, text: '', data: {} };
    });
    const askForm = async () => ({ action: 'decline' as const });
    await spec.execute({}, context);
    await spec.execute({}, { ...context, askForm });
    expect(given).toEqual([undefined, askForm]);
  });

  it('tells a server that cannot be used as a failure, and a defect of ours as one', async () => {
    const failing = (error: Error) => run(() => Promise.reject(error));
    await expect(failing(new McpError('MCP_TIMEOUT', 'too slow'))).rejects.toMatchObject({
      name: 'ToolFailure',
      message: 'too slow',
      reason: 'timeout',
    });
    await expect(failing(new TypeError('oops'))).rejects.toBeInstanceOf(TypeError);
  });
});
