import type { CallOptions } from '../../mcp/connect.ts';
import { PERSON_MS } from '../../mcp/elicitation.ts';
import { type McpOutput, mayQuoteServer, toolName } from '../../mcp/mcp.ts';
import { McpError } from '../../mcp/mcp-error.ts';
import type { OfferedTool } from '../../mcp/servers.ts';
import { taintSource } from '../../vocabulary/taint-source.ts';
import type { JsonSchema } from '../json-schema.ts';
import type { ToolSubject } from '../subject.ts';
import { type ToolArgs, ToolFailure, type ToolSpec } from '../tool.ts';

const TIMEOUT_MS = 120_000;

export type CallServer = (
  server: string,
  tool: string,
  args: Record<string, unknown>,
  options: CallOptions,
) => Promise<McpOutput>;

/**
 * A tool of an MCP server. What a server says of its own tools (that one only reads, say) lowers no guard: each needs
 * permission, and whatever comes back is content from outside. `isTrusted`: the owner said that it needs neither.
 */
export function createServerTool({ server, tool, isTrusted }: OfferedTool, call: CallServer): ToolSpec {
  const { name, description, inputSchema } = tool;
  const taint = isTrusted ? undefined : { tainted: true, taintedBy: [taintSource('mcp', server)] };
  return {
    name: toolName(server, name),
    description,
    inputSchema: { additionalProperties: true, properties: {}, ...inputSchema } as JsonSchema,
    effect: 'exec',
    requiresPermission: !isTrusted,
    trustCommand: `lainclaw mcp trust ${server}`,
    subject: subjectOf(inputSchema),
    // The server's own time is counted with the call, which knows when a person is being asked.
    timeoutMs: TIMEOUT_MS + PERSON_MS,
    async execute(args, { signal, progress, askForm }) {
      const options = { signal, progress, timeoutMs: TIMEOUT_MS, elicit: askForm };
      const output = await call(server, name, args, options).catch((error: unknown): never => {
        signal.throwIfAborted();
        if (!(error instanceof McpError)) throw error;
        const reason = error.code === 'MCP_TIMEOUT' ? 'timeout' : undefined;
        const said = mayQuoteServer(error) && { output: { data: null, text: '', meta: taint } };
        throw new ToolFailure(error.message, { cause: error, reason, ...said });
      });
      const pictures = output.pictures?.map((picture) => ({ ...picture, isForPerson: true as const }));
      const told = { data: output.data, text: output.text, pictures, meta: taint };
      if (output.ok) return told;
      throw new ToolFailure(`${name} of the server "${server}" failed`, { output: told });
    },
  };
}

/** A server names no subject: a parameter called `path` is taken for one of the workspace, which it may write. */
function subjectOf({ properties }: Record<string, unknown>): (args: ToolArgs) => ToolSubject {
  const takesPath = typeof properties === 'object' && properties !== null && 'path' in properties;
  return ({ path }) => {
    if (typeof path === 'string') return { kind: 'path', path, access: 'write' };
    return takesPath ? { kind: 'path', path: '.', access: 'write' } : { kind: 'none' };
  };
}
