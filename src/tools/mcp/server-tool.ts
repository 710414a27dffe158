import { McpError, type McpOutput, mayQuoteServer } from '../../mcp/mcp.ts';
import type { CallOptions, OfferedTool } from '../../mcp/servers.ts';
import { type JsonSchema, ToolFailure, type ToolSpec } from '../tool.ts';

const TIMEOUT_MS = 120_000;
const OUTSIDE = { outside: true } as const;

export type CallServer = (
  server: string,
  tool: string,
  args: Record<string, unknown>,
  options: CallOptions,
) => Promise<McpOutput>;

/**
 * A tool of an MCP server. What a server says of its own tools (that one only reads, say) lowers no guard: each needs
 * permission, and whatever comes back is content from outside.
 */
export function createServerTool({ server, tool }: OfferedTool, call: CallServer): ToolSpec {
  const { name, description, inputSchema } = tool;
  return {
    name: `mcp__${server}__${name}`,
    description,
    inputSchema: { additionalProperties: true, properties: {}, ...inputSchema } as JsonSchema,
    effect: 'exec',
    requiresPermission: true,
    timeoutMs: TIMEOUT_MS,
    async execute(args, { signal, progress }) {
      const output = await call(server, name, args, { signal, progress, timeoutMs: TIMEOUT_MS }).catch(
        (error: unknown): never => {
          signal.throwIfAborted();
          if (error instanceof McpError) {
            const said = mayQuoteServer(error) && { output: { data: null, text: '', meta: OUTSIDE } };
            throw new ToolFailure(error.message, { cause: error, ...said });
          }
          throw error;
        },
      );
      const told = { data: output.data, text: output.text, meta: OUTSIDE };
      if (output.ok) return told;
      throw new ToolFailure(`${name} of the server "${server}" failed`, { output: told });
    },
  };
}
