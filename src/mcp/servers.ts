// The servers of mcp.json: lists their tools and calls them. A server is started when one of its tools is called (or when its
// tools are not known yet), kept while this process lives, and started again after it ended, with a longer pause after each failure.
import { type McpConfig, type TrustedTools, unknownServer } from './config.ts';
import {
  type CallOptions,
  type ConnectOptions,
  connect,
  isSessionGone,
  type McpConnection,
  reasonOf,
} from './connect.ts';
import type { McpOutput, McpServerConfig, McpTool, McpServers as Named } from './mcp.ts';
import { McpError } from './mcp-error.ts';
import { outputOf } from './result.ts';
import type { SignIns } from './sign-in.ts';
import { type ListedTools, type ToolLists, type Unlisted, usableTools } from './tool-list.ts';

const FIRST_BACK_OFF_MS = 1_000;
const LONGEST_BACK_OFF_MS = 60_000;
const REFRESH_MS = 30_000;
/** A server that ran this long before it ended does not count as failing. */
const STEADY_MS = 60_000;

export interface OfferedTool {
  server: string;
  tool: McpTool;
  /** The owner trusts it: its answers count as theirs, and it runs without a question. */
  isTrusted: boolean;
}

export interface KnownTools {
  tools: OfferedTool[];
  /** Each begins with the name of its server. */
  problems: string[];
  /** By server: its tools, or why they are not known. */
  states: ReadonlyMap<string, ListedTools | Unlisted>;
}

export interface McpServers {
  /** The tools of the configured servers; asks servers whose tools are not known. Problems are returned, never thrown. */
  tools(signal: AbortSignal): Promise<KnownTools>;
  call(server: string, tool: string, args: Record<string, unknown>, options: CallOptions): Promise<McpOutput>;
  /** Asks the server itself and remembers its tools. */
  refresh(server: string, signal: AbortSignal): Promise<ListedTools>;
  /** Calls the listener when the result of `tools` may have changed. */
  onChange(listener: () => void): void;
  close(): Promise<void>;
}

export interface McpServersDependencies {
  config: McpConfig;
  lists: ToolLists;
  /** Why a schema cannot be used, or undefined. */
  accepts(schema: Record<string, unknown>): Promise<string | undefined>;
  fits: ConnectOptions['fits'];
  version: string;
  variables: Readonly<Record<string, string | undefined>>;
  log(server: string, text: string): void;
  signIns: SignIns;
  now(): number;
  /** Opens a connection to a server; tests pass their own. */
  connect?: typeof connect;
}

interface Kept {
  server: McpServerConfig;
  connection: Promise<McpConnection>;
  startedAt: number;
}

/** Why a server is not started for a while. */
interface Failing {
  kind: 'unreachable' | 'died';
  count: number;
  until: number;
  reason: string;
}

function isTrusted(tools: TrustedTools | undefined, name: string): boolean {
  return tools === 'all' || tools?.includes(name) === true;
}

export function createMcpServers(dependencies: McpServersDependencies): McpServers {
  const { config, lists, accepts, fits, version, variables, log, signIns, now } = dependencies;
  const { connect: open = connect } = dependencies;
  const kept = new Map<string, Kept>();
  const failing = new Map<string, Failing>();
  let changed = (): void => {};
  let isClosed = false;

  /** The open connection, or a new one; concurrent callers share it. */
  async function connection(name: string, servers: Named, signal: AbortSignal): Promise<McpConnection> {
    const server = servers.get(name);
    if (!server) throw unknownServer(name, servers);
    for (let present = kept.get(name); present; present = kept.get(name)) {
      // Another caller may have cancelled while the server started: this caller tries again.
      const made = await present.connection.catch(() => undefined);
      if (made?.isOpen() && isSame(present.server, server)) return made;
      if (kept.get(name) !== present) continue;
      if (made && !made.isOpen()) noteDeath(name, present);
      await drop(name);
    }
    const failed = failing.get(name);
    if (failed && now() < failed.until) {
      const seconds = Math.ceil((failed.until - now()) / 1_000);
      throw new McpError('MCP_UNREACHABLE', `${failed.reason}; it is tried again in ${seconds} s`);
    }
    return start(name, server, signal);
  }

  async function start(name: string, server: McpServerConfig, signal: AbortSignal): Promise<McpConnection> {
    const onToolsChanged = (): void => void (isClosed || relist(name, server));
    const onStderr = (text: string): void => log(name, text);
    const made = open({ name, server, version, variables, signIns, signal, fits, onToolsChanged, onStderr });
    const mine = { server, connection: made, startedAt: now() };
    kept.set(name, mine);
    try {
      const connected = await made;
      if (failing.get(name)?.kind === 'unreachable') failing.delete(name);
      return connected;
    } catch (error) {
      if (kept.get(name) === mine) kept.delete(name);
      signal.throwIfAborted();
      // Waiting does not help: the owner must fix it.
      if (error instanceof McpError && (error.code === 'MCP_SIGN_IN' || error.code === 'MCP_CONFIG')) throw error;
      const count = (failing.get(name)?.count ?? 0) + 1;
      failing.set(name, { kind: 'unreachable', count, until: now() + backOff(count), reason: reasonOf(error) });
      throw error;
    }
  }

  /** After the first death a server is started again at once; after each further one the pause grows. */
  function noteDeath(name: string, { startedAt }: Kept): void {
    const before = failing.get(name)?.kind === 'died' && now() - startedAt < STEADY_MS ? failing.get(name) : undefined;
    const count = (before?.count ?? 0) + 1;
    const until = count === 1 ? 0 : now() + backOff(count - 1);
    failing.set(name, { kind: 'died', count, until, reason: `the server "${name}" ended ${count} times` });
  }

  async function drop(name: string): Promise<void> {
    const present = kept.get(name);
    kept.delete(name);
    const made = await present?.connection.catch(() => undefined);
    await made?.close().catch(() => {});
  }

  /** Asks a running server for its tools again; on failure the known tools stay. */
  async function relist(name: string, server: McpServerConfig): Promise<void> {
    const made = await kept.get(name)?.connection.catch(() => undefined);
    if (!made) return;
    try {
      const listed = await usableTools(await made.listTools(AbortSignal.timeout(REFRESH_MS)), accepts);
      const known = await lists.get(name, server);
      const { tools, leftOut } = { tools: [], leftOut: [], ...known };
      if (isClosed || JSON.stringify({ tools, leftOut }) === JSON.stringify(listed)) return;
      await lists.put(name, server, listed);
      changed();
    } catch {
      // The next start asks again.
    }
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
      if (isClosed) throw error;
      await lists.put(name, server, unlisted(name, error));
      throw asMcpError(name, error);
    }
  }

  return {
    async tools(signal) {
      const [servers, trusted] = await Promise.all([config.read(), config.trusted()]);
      for (const name of [...kept.keys()].filter((each) => !servers.has(each))) await drop(name);
      const listed = await Promise.all(
        [...servers].map(async ([name, server]): Promise<[string, ListedTools | Unlisted]> => {
          const known = await lists.get(name, server);
          return [name, known ?? (await refresh(name, signal).catch((error: unknown) => unlisted(name, error)))];
        }),
      );
      const problems = listed.flatMap(([name, found]) =>
        'error' in found ? [`${name}: ${found.error}`] : found.leftOut.map((each) => `${name}: ${each}`),
      );
      const tools = listed.flatMap(([server, found]) =>
        'error' in found
          ? []
          : found.tools.map((tool) => ({ server, tool, isTrusted: isTrusted(trusted.get(server), tool.name) })),
      );
      return { tools, problems, states: new Map(listed) };
    },
    async call(name, tool, args, options) {
      const servers = await config.read();
      const attempt = async (): Promise<McpOutput> => {
        const before = kept.get(name);
        const made = await connection(name, servers, options.signal);
        const server = servers.get(name);
        if (kept.get(name) !== before && server) void relist(name, server);
        return outputOf(await made.callTool(tool, args, options));
      };
      try {
        return await attempt().catch(async (error: unknown) => {
          // The server refused the call before it ran, because it no longer knows the session.
          if (!isSessionGone(error)) throw error;
          await drop(name);
          return attempt();
        });
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

function backOff(count: number): number {
  return Math.min(LONGEST_BACK_OFF_MS, FIRST_BACK_OFF_MS * 2 ** (count - 1));
}

function isSame(one: McpServerConfig, other: McpServerConfig): boolean {
  return JSON.stringify(one) === JSON.stringify(other);
}

function unlisted(name: string, error: unknown): Unlisted {
  return { error: reasonOf(error), code: asMcpError(name, error).code };
}

function asMcpError(name: string, error: unknown): McpError {
  if (error instanceof McpError) return error;
  const isTimeout = error instanceof Error && /timed? ?out/i.test(error.message);
  return new McpError(isTimeout ? 'MCP_TIMEOUT' : 'MCP_FAILED', `the server "${name}": ${reasonOf(error)}`, error);
}
