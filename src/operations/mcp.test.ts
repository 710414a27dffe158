import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { startSignInServer } from '../../test/fakes/mcp/sign-in-server.ts';
import { testOperations } from '../../test/support/test-operations.ts';

const RAW = join(import.meta.dirname, '../../test/fakes/mcp/raw-server.ts');

async function setUp() {
  const operations = await testOperations();
  const raw = { command: process.execPath, args: [RAW, join(operations.folder, 'pids')] };
  return { ...operations, raw };
}

describe('the operations on MCP servers', () => {
  it('answer what their output schemas say', async () => {
    const { checked, raw } = await setUp();
    for (const [name, input] of [
      ['mcp.list', {}],
      ['mcp.add', { name: 'raw', ...raw }],
      ['mcp.add', { name: 'gone', url: 'http://127.0.0.1:1/mcp', headers: { X: 'y' } }],
      ['mcp.list', {}],
      ['mcp.test', { name: 'raw' }],
      ['mcp.logout', { name: 'raw' }],
      ['mcp.remove', { name: 'raw' }],
    ] as const)
      expect([name, (await checked(name, input)).problem]).toEqual([name, undefined]);
  });

  it('sign in to a server, showing the address to visit', async () => {
    const server = await startSignInServer();
    onTestFinished(() => server.close());
    const { invoke, checked } = await testOperations({ onAddress: (address) => void fetch(address) });
    const added = await invoke('mcp.add', { name: 'private', url: server.url });
    expect(added).toMatchObject({ reached: false, problem: { code: 'MCP_SIGN_IN' } });
    expect(await invoke('mcp.list')).toMatchObject({
      servers: [{ signedIn: false, problem: { code: 'MCP_SIGN_IN' } }],
    });
    expect(await checked('mcp.login', { name: 'private' })).toEqual({
      output: { name: 'private', outcome: 'signed-in', tools: 1 },
      problem: undefined,
    });
    expect(await invoke('mcp.list')).toMatchObject({ servers: [{ signedIn: true, tools: ['mcp__private__whisper'] }] });
  });

  it('reach a server that is added, and name its tools as they are called here', async () => {
    const { invoke, raw } = await setUp();
    const added = (await invoke('mcp.add', { name: 'raw', ...raw })) as { reached: boolean; tools: string[] };
    expect(added.reached).toBe(true);
    expect(added.tools.length).toBeGreaterThan(0);
    for (const tool of added.tools) expect(tool).toMatch(/^mcp__raw__/);
    const leftOut = [expect.stringContaining('bad name!'), expect.stringContaining('bad-schema')];
    expect(added).toMatchObject({ leftOut });
    expect(await invoke('mcp.list')).toMatchObject({ servers: [{ name: 'raw', tools: added.tools, leftOut }] });
  });

  it('keep a server that cannot be reached, and say so', async () => {
    const { invoke, warnings } = await setUp();
    const url = 'http://127.0.0.1:1/mcp';
    const problem = { code: 'MCP_UNREACHABLE', text: expect.stringContaining('cannot be used') };
    expect(await invoke('mcp.add', { name: 'gone', url })).toMatchObject({ reached: false, tools: [], problem });
    expect(warnings.join()).toContain('It is kept');
    expect(await invoke('mcp.list')).toMatchObject({ servers: [{ name: 'gone', url, problem, signedIn: false }] });
  });

  it('show no value that may be a secret', async () => {
    const { invoke } = await setUp();
    const program = { command: process.execPath, args: ['-e', '0', '--api-key', 'pa55', '--token=pa55'] };
    const shown = [
      await invoke('mcp.add', { name: 'program', ...program, env: { KEY: 'pa55', NAMED: `\${MY_KEY}` } }),
      await invoke('mcp.add', { name: 'address', url: 'http://127.0.0.1:1/?key=pa55', headers: { X: 'pa55' } }),
      await invoke('mcp.list'),
    ];
    expect(JSON.stringify(shown)).not.toContain('pa55');
    expect(shown[0]).toMatchObject({
      args: ['-e', '0', '--api-key', '***', '--token=***'],
      env: { KEY: '***', NAMED: `\${MY_KEY}` },
    });
  });

  it.each([
    ['neither a program nor an address', {}],
    ['both', { command: 'x', url: 'http://x' }],
    ['headers for a program', { command: 'x', headers: { A: 'b' } }],
    ['arguments for an address', { url: 'http://x', args: ['a'] }],
  ])('refuse %s, and add nothing', async (_what, server) => {
    const { invoke } = await setUp();
    await expect(invoke('mcp.add', { name: 'x', ...server })).rejects.toMatchObject({ code: 'MCP_CONFIG' });
    expect(await invoke('mcp.list')).toEqual({ servers: [], problems: [] });
  });

  it('refuse a variable whose value is not a text', async () => {
    const { invoke } = await setUp();
    await expect(invoke('mcp.add', { name: 'x', command: 'y', env: { A: 1 } })).rejects.toMatchObject({
      code: 'INVALID_INPUT',
    });
  });
});
