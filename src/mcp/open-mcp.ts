// Everything about MCP servers, put together.
import { appendFile, mkdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnerFiles } from '../storage/storage.ts';
import { createMcpConfig, type McpConfig } from './config.ts';
import { createMcpServers, type McpServers, type McpServersDependencies } from './servers.ts';
import { createToolLists } from './tool-list.ts';

const LONGEST_LOG_BYTES = 1_000_000;

export interface Mcp {
  config: McpConfig;
  servers: McpServers;
}

export interface OpenMcpOptions extends Omit<McpServersDependencies, 'config' | 'lists' | 'log'> {
  home: string;
  files: OwnerFiles;
}

export function openMcp({ home, files, ...rest }: OpenMcpOptions): Mcp {
  const config = createMcpConfig({ files });
  const lists = createToolLists({ files, now: rest.now });
  return { config, servers: createMcpServers({ ...rest, config, lists, log: createLog(join(home, 'logs')) }) };
}

/** What a server says on stderr, in a file of its own. Losing some of it is harmless. */
function createLog(directory: string): (server: string, text: string) => void {
  let last: Promise<unknown> = Promise.resolve();
  return (server, text) => {
    const path = join(directory, `mcp-${server}.log`);
    last = last
      .then(async () => {
        await mkdir(directory, { recursive: true, mode: 0o700 });
        const size = await stat(path).then(
          (stats) => stats.size,
          () => 0,
        );
        if (size > LONGEST_LOG_BYTES) await truncate(path);
        await appendFile(path, text, { mode: 0o600 });
      })
      .catch(() => {});
  };
}
