// The tools of the owner's MCP servers, as they come and go. Without an mcp.json this costs one look at the home.
import { McpError } from '../../mcp/mcp-error.ts';
import type { McpServers } from '../../mcp/servers.ts';
import type { ToolSpec } from '../tool.ts';
import { createServerTool } from './server-tool.ts';

const NONE: readonly ToolSpec[] = [];
/** How soon a server with a problem is looked at again. */
const TRY_AGAIN_AFTER_MS = 60_000;

export interface McpToolsDependencies {
  /** The text of mcp.json; undefined when there is none. */
  source(): Promise<string | undefined>;
  servers(): Promise<McpServers>;
  warn(text: string): void;
  now(): number;
}

/** Returns the same list while nothing has changed. */
export function createMcpTools({
  source,
  servers,
  warn,
  now,
}: McpToolsDependencies): (signal: AbortSignal) => Promise<readonly ToolSpec[]> {
  let known: { source: string; tools: readonly ToolSpec[]; until: number } | undefined;
  return async (signal) => {
    const text = await source();
    if (text === undefined && known === undefined) return NONE;
    if (text !== undefined && known?.source === text && now() < known.until) return known.tools;
    const service = await servers();
    service.onChange(() => {
      known = undefined;
    });
    try {
      const { tools, problems } = await service.tools(signal);
      for (const problem of problems) warn(`MCP server ${problem}`);
      const specs = tools.map((tool) => createServerTool(tool, service.call));
      known = { source: text ?? '', tools: specs, until: problems.length > 0 ? now() + TRY_AGAIN_AFTER_MS : Infinity };
    } catch (error) {
      signal.throwIfAborted();
      if (!(error instanceof McpError)) throw error;
      warn(error.message);
      known = { source: text ?? '', tools: NONE, until: Infinity };
    }
    return known.tools;
  };
}
