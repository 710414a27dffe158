// One connection to one server: starts the program or reaches the address, lists tools, calls them. Values like ${NAME} in
// `env` and `headers` come from the owner's environment; nothing else of it reaches a server but what programs need to run.
import type { ChildProcess } from 'node:child_process';
import type { Client } from '@modelcontextprotocol/client';
import type { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { McpError, type McpServerConfig, type McpTool } from './mcp.ts';

const CONNECT_MS = 20_000;
const MAX_TOOLS = 500;

export interface McpConnection {
  listTools(signal: AbortSignal): Promise<McpTool[]>;
  callTool(
    name: string,
    args: Record<string, unknown>,
    options: { signal: AbortSignal; timeoutMs: number; progress(text: string): void },
  ): Promise<RawResult>;
  /** False once the program ended or the connection broke. */
  isOpen(): boolean;
  close(): Promise<void>;
}

/** What `tools/call` answers. */
export interface RawResult {
  content: readonly Record<string, unknown>[];
  structuredContent?: unknown;
  isError?: boolean;
}

export interface ConnectOptions {
  name: string;
  server: McpServerConfig;
  version: string;
  variables: Readonly<Record<string, string | undefined>>;
  /** What the program says beside the protocol. */
  onStderr(text: string): void;
  onToolsChanged(): void;
  signal: AbortSignal;
}

export async function connect(options: ConnectOptions): Promise<McpConnection> {
  const { name, version, onToolsChanged, signal } = options;
  const { Client: McpClient } = await import('@modelcontextprotocol/client');
  const client = new McpClient(
    { name: 'lainclaw', version },
    { capabilities: {}, listChanged: { tools: { autoRefresh: false, onChanged: onToolsChanged } } },
  );
  let open = true;
  client.onclose = () => {
    open = false;
  };
  try {
    const transport = await transportFor(options);
    await client.connect(transport, { signal, timeout: CONNECT_MS });
  } catch (error) {
    await client.close().catch(() => {});
    signal.throwIfAborted();
    throw new McpError('MCP_UNREACHABLE', `the server "${name}" cannot be used: ${reasonOf(error)}`, error);
  }
  return {
    listTools: (listing) => listAll(client, listing),
    async callTool(tool, args, { signal: calling, timeoutMs, progress }) {
      const onprogress = ({ progress: done, total, message }: { progress: number; total?: number; message?: string }) =>
        progress(`${[total === undefined ? done : `${done}/${total}`, message ?? ''].join(' ').trim()}\n`);
      const result = await client.callTool(
        { name: tool, arguments: args },
        { signal: calling, timeout: timeoutMs, onprogress, resetTimeoutOnProgress: true },
      );
      return result as unknown as RawResult;
    },
    isOpen: () => open,
    close: () => client.close(),
  };
}

type Transport = Parameters<Client['connect']>[0];

async function transportFor({ name, server, variables, onStderr }: ConnectOptions): Promise<Transport> {
  if (server.kind === 'url') {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const headers = expand(name, server.headers, variables);
    return new StreamableHTTPClientTransport(new URL(server.url), { requestInit: { headers, redirect: 'error' } });
  }
  const { StdioClientTransport: Stdio, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  const { command, args, cwd } = server;
  const env = { ...getDefaultEnvironment(), ...expand(name, server.env, variables) };
  const transport = new Stdio({ command, args: [...args], env, cwd, stderr: 'pipe' });
  transport.stderr?.on('data', (chunk: Buffer) => onStderr(chunk.toString('utf8')));
  endWithThisProcess(transport);
  return transport;
}

/** Closing waits for a program that does not end when told; should this process not wait, nothing may stay behind. */
function endWithThisProcess(transport: StdioClientTransport): void {
  const start = transport.start.bind(transport);
  transport.start = async () => {
    await start();
    const child = (transport as unknown as { _process?: ChildProcess })._process;
    const end = (): void => void child?.kill('SIGKILL');
    process.once('exit', end);
    child?.once('close', () => process.off('exit', end));
  };
}

/** Rejects when a name is not set: an empty secret would only fail later, and less clearly. */
function expand(
  server: string,
  values: Readonly<Record<string, string>>,
  variables: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([key, value]) => [
      key,
      value.replace(/\$\{(\w+)\}/g, (_, name: string) => {
        const found = variables[name];
        if (found === undefined)
          throw new McpError(
            'MCP_CONFIG',
            `the server "${server}" needs the environment variable ${name}, which is not set`,
          );
        return found;
      }),
    ]),
  );
}

async function listAll(client: Client, signal: AbortSignal): Promise<McpTool[]> {
  const tools: McpTool[] = [];
  let cursor: string | undefined;
  do {
    const page = await client.listTools(cursor === undefined ? {} : { cursor }, { signal, timeout: CONNECT_MS });
    for (const { name, description = '', inputSchema } of page.tools)
      tools.push({ name, description, inputSchema: inputSchema as Record<string, unknown> });
    cursor = page.nextCursor;
  } while (cursor !== undefined && tools.length < MAX_TOOLS);
  return tools.slice(0, MAX_TOOLS);
}

/** The address answers, but has forgotten the session: nothing was run. */
export function isSessionGone(error: unknown): boolean {
  return error instanceof Error && (error as Error & { status?: unknown }).status === 404;
}

export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'the program was not found';
  return error instanceof Error ? message : String(error);
}
