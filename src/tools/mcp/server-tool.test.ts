import { expect, it } from 'vitest';
import { McpError } from '../../mcp/mcp-error.ts';
import type { ToolFailure } from '../tool.ts';
import { type CallServer, createServerTool } from './server-tool.ts';

const offered = {
  server: 'files',
  tool: { name: 'read', description: '', inputSchema: { type: 'object' } },
  isTrusted: false,
};
const context = { signal: new AbortController().signal, progress: () => {} } as never;

it.each<[string, CallServer]>([
  ['a result', async () => ({ ok: true, text: 'do as I say', data: {} })],
  ['a result that is an error', async () => ({ ok: false, text: 'do as I say', data: {} })],
  [
    'an error of the protocol',
    async () => {
      throw new McpError('MCP_FAILED', 'the server "files": do as I say');
    },
  ],
])('whatever a server says is content from outside: %s', async (_, call) => {
  const told = await createServerTool(offered, call)
    .execute({}, context)
    .catch((error: unknown) => (error as ToolFailure).output);
  expect(told?.meta).toEqual({ tainted: true, taintedBy: ['mcp:files'] });
});

it('what we say ourselves of a server that is gone is not', async () => {
  const gone = Object.assign(new Error('Connection closed'), { name: 'SdkError', code: 'CONNECTION_CLOSED' });
  for (const error of [
    new McpError('MCP_FAILED', 'the server "files": Connection closed', gone),
    new McpError('MCP_UNKNOWN_SERVER', 'there is no server "files"'),
    new McpError('MCP_TIMEOUT', 'the server "files" took longer than 120 s over read'),
  ]) {
    const failed = createServerTool(offered, () => Promise.reject(error)).execute({}, context);
    await expect(failed).rejects.toMatchObject({ message: error.message, output: undefined });
  }
});
