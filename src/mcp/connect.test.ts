// One connection with a real server on the other side.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { startAskingServer } from '../../test/fakes/mcp/asking-server.ts';
import { connect, type McpConnection, type RawResult } from './connect.ts';
import type { AskForm, FormRequest } from './elicitation.ts';
import type { McpServerConfig } from './mcp.ts';
import { outputOf } from './result.ts';

const never = new AbortController().signal;
const RAW = join(import.meta.dirname, '..', '..', 'test/fakes/mcp/raw-server.ts');
const directory = mkdtempSync(join(tmpdir(), 'lainclaw-connect-'));
const closing: (() => unknown)[] = [() => rmSync(directory, { recursive: true, force: true })];
afterAll(async () => {
  for (const close of closing.reverse()) await close();
});

async function connected(server: McpServerConfig): Promise<McpConnection> {
  const connection = await connect({
    name: 's',
    server,
    version: '1',
    variables: {},
    onStderr: () => {},
    onToolsChanged: () => {},
    fits: async (_, value) => (Number.isInteger((value as { age: unknown }).age) ? undefined : 'age is not a number'),
    signIns: { stored: async () => undefined },
    signal: never,
  });
  closing.push(() => connection.close());
  return connection;
}

const options = (elicit?: AskForm) => ({ signal: never, timeoutMs: 30_000, progress: () => {}, elicit });
const textOf = (result: RawResult): string => outputOf(result).text;

describe('a server that asks during a call', () => {
  async function asking(tool: string, elicit?: AskForm): Promise<string> {
    const server = await startAskingServer();
    closing.push(() => server.close());
    const connection = await connected({ kind: 'url', url: server.url, headers: {} });
    return textOf(await connection.callTool(tool, {}, options(elicit)));
  }

  it('is answered by the one who answers for the call, with its defaults for what was left out', async () => {
    const asked: FormRequest[] = [];
    const said = await asking('form', async (request) => {
      asked.push(request);
      return { action: 'accept', content: { name: 'Ann' } };
    });
    expect(asked).toMatchObject([{ server: 's', schema: { properties: { age: { type: 'integer', default: 30 } } } }]);
    expect(said).toContain('"name":"Ann"');
    expect(said).toContain('"age":30');
  });

  it('gets no answer that does not fit', async () => {
    const said = await asking('form', async () => ({
      action: 'accept',
      content: { age: 'old' },
    }));
    expect(said).toContain('decline');
    expect(said).not.toContain('old');
  });

  it('is declined where nobody answers, and the result says so', async () => {
    const said = await asking('form');
    expect(said).toContain('{"action":"decline"}');
    expect(said).toContain('Nobody can be asked here, so it was declined.');
  });

  it('sends nobody to an address', async () => {
    const asked: FormRequest[] = [];
    const call = asking('address', async (request) => {
      asked.push(request);
      return { action: 'accept', content: {} };
    });
    await expect(call).rejects.toThrow('do not declare the required capability');
    expect(asked).toEqual([]);
  });
});

describe('a server that does not answer', () => {
  it('is left when its time is over', async () => {
    const args = [RAW, join(directory, 'pids')];
    const connection = await connected({ kind: 'command', command: process.execPath, args, env: {} });
    const call = connection.callTool('hang', {}, { ...options(), timeoutMs: 100 });
    await expect(call).rejects.toMatchObject({
      code: 'MCP_TIMEOUT',
      message: 'the server "s" took longer than 0.1 s over hang',
    });
    expect(connection.isOpen()).toBe(true);
  });

  it('is not started where its directory is missing', async () => {
    const cwd = join(directory, 'gone');
    const starting = connected({ kind: 'command', command: process.execPath, args: [], env: {}, cwd });
    await expect(starting).rejects.toThrow(`the server "s" cannot be started: its "cwd" ${cwd} is not a directory`);
  });
});
