import { describe, expect, it } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { memoryOwnerFiles } from '../../test/support/memory-owner-files.ts';
import { createMcpConfig } from './config.ts';
import type { ConnectOptions, McpConnection } from './connect.ts';
import type { McpTool } from './mcp.ts';
import { McpError } from './mcp-error.ts';
import { createMcpServers } from './servers.ts';
import { createSignIns } from './sign-in.ts';
import { createToolLists } from './tool-list.ts';

const never = new AbortController().signal;
const calling = { signal: never, timeoutMs: 1_000, progress: () => {} };

/** A server in this process: how it is reached and what it does is up to the test. */
function world({ servers = { s: { command: 'x' } } }: { servers?: object } = {}) {
  const files = memoryOwnerFiles({ 'mcp.json': JSON.stringify({ mcpServers: servers }) });
  const state = {
    time: 1_000_000,
    starts: 0,
    closed: 0,
    tools: ['one'],
    connecting: async (_: ConnectOptions): Promise<void> => {},
    answering: async (): Promise<void> => {},
    last: { open: true, options: undefined as ConnectOptions | undefined },
  };
  const connect = async (options: ConnectOptions): Promise<McpConnection> => {
    state.starts += 1;
    await state.connecting(options);
    const own = { open: true, options };
    state.last = own;
    return {
      isOpen: () => own.open,
      listTools: async () =>
        state.tools.map((name): McpTool => ({ name, description: name, inputSchema: { type: 'object' } })),
      async callTool(name) {
        await state.answering();
        if (!own.open) throw new Error('Connection closed');
        return { content: [{ type: 'text', text: `${name} of start ${state.starts}` }] };
      },
      async close() {
        own.open = false;
        state.closed += 1;
      },
    };
  };
  const now = (): number => state.time;
  const service = createMcpServers({
    config: createMcpConfig({ files }),
    lists: createToolLists({ files, now }),
    accepts: async () => undefined,
    fits: async () => undefined,
    version: '1',
    variables: {},
    log: () => {},
    signIns: createSignIns({ files, variables: {} }),
    now,
    connect,
  });
  return { state, files, service, call: async () => (await service.call('s', 'one', {}, calling)).text };
}

describe('a server', () => {
  it('is started by the first call and kept for the next', async () => {
    const { state, service, call } = world();
    expect([await call(), await call()]).toEqual(['one of start 1', 'one of start 1']);
    await service.close();
    expect([state.starts, state.closed]).toEqual([1, 1]);
  });

  it('is started once for calls at the same time', async () => {
    const { state, call } = world();
    expect(new Set(await Promise.all([call(), call(), call()]))).toEqual(new Set(['one of start 1']));
    expect(state.starts).toBe(1);
  });

  it('is started for the others when one caller gives up', async () => {
    const { state, service, call } = world();
    const gaveUp = new AbortController();
    state.connecting = ({ signal }) =>
      state.starts > 1
        ? Promise.resolve()
        : new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason)));
    const first = service.call('s', 'one', {}, { ...calling, signal: gaveUp.signal });
    const second = call();
    await eventually(() => expect(state.starts).toBe(1));
    gaveUp.abort();
    await expect(first).rejects.toThrow('aborted');
    expect(await second).toBe('one of start 2');
  });

  it('is left alone for longer and longer while it cannot be reached, a minute at most', async () => {
    const { state, call } = world();
    state.connecting = async () => {
      throw new McpError('MCP_UNREACHABLE', 'it is not there');
    };
    for (const seconds of [1, 2, 4, 8, 16, 32, 60, 60]) {
      const before = state.starts;
      await expect(call()).rejects.toThrow('it is not there');
      state.time += seconds * 1_000 - 1;
      await expect(call()).rejects.toThrow('it is not there; it is tried again in 1 s');
      expect(state.starts).toBe(before + 1);
      state.time += 1;
    }
    state.connecting = async () => {};
    expect(await call()).toContain('one of start');
  });

  it('is started again at once when it died, and later each time it dies soon again', async () => {
    const { state, call } = world();
    const die = async () => {
      await call();
      state.last.open = false;
    };
    await die();
    await die();
    await expect(call()).rejects.toThrow('the server "s" ended 2 times; it is tried again in 1 s');
    state.time += 1_000;
    await die();
    await expect(call()).rejects.toThrow('ended 3 times; it is tried again in 2 s');
    state.time += 2_000;
    await call();
    // One that held for a minute counts as repaired.
    state.time += 60_000;
    state.last.open = false;
    expect(await call()).toBe('one of start 5');
  });

  it('that has forgotten our session gets one new hello', async () => {
    const { state, call } = world();
    const gone = Object.assign(new Error('Session not found'), { status: 404 });
    await call();
    state.answering = async () => {
      if (state.starts === 1) throw gone;
    };
    expect(await call()).toBe('one of start 2');
    state.answering = async () => {
      throw gone;
    };
    await expect(call()).rejects.toThrow('the server "s": Session not found');
    expect(state.starts).toBe(3);
  });

  it('is started again when its configuration changed, and ended when it is gone', async () => {
    const { state, files, service, call } = world();
    await call();
    files.texts.set('mcp.json', JSON.stringify({ mcpServers: { s: { command: 'y' } } }));
    expect(await call()).toBe('one of start 2');
    expect(state.closed).toBe(1);
    files.texts.set('mcp.json', '{"mcpServers": {}}');
    expect(await service.tools(never)).toEqual({ tools: [], problems: [], states: new Map() });
    expect(state.closed).toBe(2);
    await expect(call()).rejects.toThrow('there is no server "s"; there is none');
  });
});

describe('the tools', () => {
  const names = (found: { tools: { tool: McpTool }[] }) => found.tools.map(({ tool }) => tool.name);

  it('of a server nothing is known of are asked; of the others it is remembered', async () => {
    const { state, files, service } = world();
    expect(names(await service.tools(never))).toEqual(['one']);
    expect(names(await service.tools(never))).toEqual(['one']);
    expect(state.starts).toBe(1);
    const later = world();
    later.files.texts.set('mcp-tools.json', files.texts.get('mcp-tools.json') ?? '');
    expect(names(await later.service.tools(never))).toEqual(['one']);
    expect(later.state.starts).toBe(0);
  });

  it('of a server that cannot be used are missing, with the problem, and the others are there', async () => {
    const { state, service } = world({ servers: { s: { command: 'x' }, t: { command: 'y' } } });
    state.connecting = async ({ name }) => {
      if (name === 's') throw new McpError('MCP_UNREACHABLE', 'it is not there');
    };
    const found = await service.tools(never);
    expect(found.tools.map(({ server }) => server)).toEqual(['t']);
    expect(found.problems).toEqual(['s: it is not there']);
  });

  it('are learned again from a server that says they changed, and when it is started', async () => {
    const { state, service, call } = world();
    let changes = 0;
    service.onChange(() => (changes += 1));
    await service.tools(never);
    state.tools = ['one', 'two'];
    state.last.options?.onToolsChanged();
    await eventually(() => expect(changes).toBe(1));
    expect(names(await service.tools(never))).toEqual(['one', 'two']);
    state.tools = ['three'];
    state.last.open = false;
    await call();
    await eventually(() => expect(changes).toBe(2));
    expect(names(await service.tools(never))).toEqual(['three']);
  });
});
