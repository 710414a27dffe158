// The servers of mcp.json: which tools there are, and calling one. A server is started when one of its tools is called (or when
// nothing is known of it yet), kept while this process lives, and started again after it ended, later each time it fails.
import { type McpConfig, unknownServer } from './config.ts';
import { type ConnectOptions, connect, type McpConnection, reasonOf } from './connect.ts';
import { McpError, type McpOutput, type McpServerConfig, type McpTool, type McpServers as Named } from './mcp.ts';
import { outputOf } from './result.ts';
import { type ListedTools, type ToolLists, usableTools } from './tool-list.ts';

const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 60_000;
const REFRESH_MS = 30_000;

export interface OfferedTool {
  server: string;
  tool: McpTool;
}

export interface CallOptions {
  signal: AbortSignal;
  timeoutMs: number;
  progress(text: string): void;
}

export interface McpServers {
  /** What the configured servers offer; a server nothing is known of is asked. Problems are told, never thrown. */
  tools(signal: AbortSignal): Promise<{ tools: OfferedTool[]; problems: string[] }>;
  call(server: string, tool: string, args: Record<string, unknown>, options: CallOptions): Promise<McpOutput>;
  /** Asks the server itself, and remembers what it says. */
  refresh(server: string, signal: AbortSignal): Promise<ListedTools>;
  /** Told when what is offered may have changed since `tools`. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
}

export interface McpServersDependencies {
  config: McpConfig;
  lists: ToolLists;
  /** Why a schema cannot be used, or undefined. */
  accepts(schema: Record<string, unknown>): Promise<string | undefined>;
  version: string;
  variables: Readonly<Record<string, string | undefined>>;
  log(server: string, text: string): void;
  now(): number;
}

interface Kept {
  server: McpServerConfig;
  connection: Promise<McpConnection>;
}

interface Failing {
  count: number;
  until: number;
  reason: string;
}

export function createMcpServers(dependencies: McpServersDependencies): McpServers {
  const { config, lists, accepts, version, variables, log, now } = dependencies;
  const kept = new Map<string, Kept>();
  const failing = new Map<string, Failing>();
  let changed = (): void => {};
  let isClosed = false;

  async function connection(name: string, servers: Named, signal: AbortSignal): Promise<McpConnection> {
    const server = servers.get(name);
    if (!server) throw unknownServer(name, servers);
    const present = kept.get(name);
    if (present && isSame(present.server, server)) {
      const open = await present.connection;
      if (open.isOpen()) return open;
    }
    await drop(name);
    const failed = failing.get(name);
    if (failed && now() < failed.until) {
      const seconds = Math.ceil((failed.until - now()) / 1_000);
      throw new McpError('MCP_UNREACHABLE', `${failed.reason}; it is tried again in ${seconds} s`);
    }
    const onToolsChanged = (): void => {
      if (!isClosed && kept.has(name)) void refresh(name, AbortSignal.timeout(REFRESH_MS)).then(changed, () => {});
    };
    const options: ConnectOptions = {
      name,
      server,
      version,
      variables,
      signal,
      onToolsChanged,
      onStderr: (text) => log(name, text),
    };
    const made = connect(options);
    kept.set(name, { server, connection: made });
    try {
      const open = await made;
      failing.delete(name);
      return open;
    } catch (error) {
      kept.delete(name);
      signal.throwIfAborted();
      const count = (failed?.count ?? 0) + 1;
      const wait = Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (count - 1));
      failing.set(name, { count, until: now() + wait, reason: reasonOf(error) });
      throw error;
    }
  }

  async function drop(name: string): Promise<void> {
    const present = kept.get(name);
    kept.delete(name);
    const open = await present?.connection.catch(() => undefined);
    await open?.close().catch(() => {});
  }

  async function refresh(name: string, signal: AbortSignal): Promise<ListedTools> {
    const servers = await config.read();
    const server = servers.get(name);
    if (!server) throw unknownServer(name, servers);
    try {
      const listed = await usableTools(await (await connection(name, servers, signal)).listTools(signal), accepts);
      await lists.put(name, server, listed);
      return listed;
    } catch (error) {
      signal.throwIfAborted();
      await lists.put(name, server, { error: reasonOf(error) });
      throw asMcpError(name, error);
    }
  }

  return {
    async tools(signal) {
      const servers = await config.read();
      for (const name of [...kept.keys()].filter((each) => !servers.has(each))) await drop(name);
      const listed = await Promise.all(
        [...servers].map(async ([name, server]): Promise<[string, ListedTools | { error: string }]> => {
          const known = await lists.get(name, server);
          const asked = known ?? (await refresh(name, signal).catch((error: unknown) => ({ error: reasonOf(error) })));
          return [name, asked];
        }),
      );
      const problems = listed.flatMap(([name, found]) =>
        'error' in found ? [`${name}: ${found.error}`] : found.leftOut.map((each) => `${name}: ${each}`),
      );
      const tools = listed.flatMap(([server, found]) =>
        'error' in found ? [] : found.tools.map((tool) => ({ server, tool })),
      );
      return { tools, problems };
    },
    async call(name, tool, args, options) {
      const open = await connection(name, await config.read(), options.signal);
      try {
        return outputOf(await open.callTool(tool, args, options));
      } catch (error) {
        options.signal.throwIfAborted();
        throw asMcpError(name, error);
      }
    },
    refresh,
    onChange(listener) {
      changed = listener;
    },
    async close() {
      isClosed = true;
      await Promise.all([...kept.keys()].map(drop));
    },
  };
}

function isSame(one: McpServerConfig, other: McpServerConfig): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function asMcpError(name: string, error: unknown): McpError {
  if (error instanceof McpError) return error;
  const isTimeout = error instanceof Error && /timed? ?out/i.test(error.message);
  return new McpError(isTimeout ? 'MCP_TIMEOUT' : 'MCP_FAILED', `the server "${name}": ${reasonOf(error)}`, error);
}
