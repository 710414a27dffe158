// Builds everything about MCP servers.
import { appendFile, mkdir, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import type { OwnerFiles } from '../storage/storage.ts';
import { createMcpConfig, type McpConfig, unknownServer } from './config.ts';
import { type McpServerConfig, toolName } from './mcp.ts';
import { McpError } from './mcp-error.ts';
import { createMcpServers, type McpServers, type McpServersDependencies } from './servers.ts';
import { createSignIns, isMachine } from './sign-in.ts';
import { createToolLists } from './tool-list.ts';

const LONGEST_LOG_BYTES = 1_000_000;

export interface Mcp {
  config: McpConfig;
  servers: McpServers;
  /** Names of the tools that are known already; starts no server. */
  knownTools(): Promise<string[]>;
  /** Rejects when there is no such server, or when it is a program. */
  login(name: string, visit: (url: URL) => void, signal: AbortSignal): Promise<'signed-in' | 'not-needed'>;
  logout(name: string): Promise<void>;
  /** True when a person has signed in to this server, and the sign-in is kept. */
  isSignedIn(name: string, server: McpServerConfig): Promise<boolean>;
}

export interface OpenMcpOptions extends Omit<McpServersDependencies, 'config' | 'lists' | 'log' | 'signIns'> {
  home: string;
  files: OwnerFiles;
}

export function openMcp({ home, files, ...rest }: OpenMcpOptions): Mcp {
  const config = createMcpConfig({ files });
  const lists = createToolLists({ files, now: rest.now });
  const signIns = createSignIns({ files, variables: rest.variables });
  const log = createLog(join(home, 'logs'));
  return {
    config,
    servers: createMcpServers({ ...rest, config, lists, signIns, log }),
    async knownTools() {
      const servers = [...(await config.read())];
      const listed = await Promise.all(
        servers.map(async ([name, server]) => {
          const known = await lists.get(name, server);
          return known && 'tools' in known ? known.tools.map((tool) => toolName(name, tool.name)) : [];
        }),
      );
      return listed.flat();
    },
    async login(name, visit, signal) {
      const servers = await config.read();
      const server = servers.get(name);
      if (!server) throw unknownServer(name, servers);
      const isAlone = server.kind === 'command' ? 'is a program' : isMachine(server.oauth) && 'signs us in by itself';
      if (server.kind === 'command' || isAlone)
        throw new McpError('MCP_SIGN_IN', `the server "${name}" ${isAlone}: it needs no sign-in`);
      const { login } = await import('./login.ts');
      const { version, variables } = rest;
      const outcome = await login({ name, server, signIns, version, variables, visit, signal });
      await lists.remove(name);
      return outcome;
    },
    logout: (name) => signIns.remove(name),
    isSignedIn: async (name, server) => server.kind === 'url' && (await signIns.isKept(name, server)),
  };
}

/** Writes the stderr of each server to its own file. Losing some of it is harmless. */
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
