// One connection to one server: starts the program or connects to the address, lists tools, calls them. Values like ${NAME}
// in `env` and `headers` come from the owner's environment; otherwise a server gets only the variables programs need to run.
import { stat } from 'node:fs/promises';
import type { Client } from '@modelcontextprotocol/client';
import { createCallLimit } from './call-limit.ts';
import {
  type AskForm,
  createElicitations,
  type ElicitationsDependencies,
  type FormSchema,
  PERSON_MS,
} from './elicitation.ts';
import type { McpOAuth, McpServerConfig, McpTool } from './mcp.ts';
import { McpError } from './mcp-error.ts';
import { createProgramTransport } from './program-transport.ts';
import { needsSignIn, type SignIns } from './sign-in.ts';
import { expand, REFERENCE, type Variables } from './variables.ts';

const CONNECT_MS = 20_000;
const MAX_TOOLS = 500;
const SHORTEST_SECRET = 4;

export interface McpConnection {
  listTools(signal: AbortSignal): Promise<McpTool[]>;
  callTool(name: string, args: Record<string, unknown>, options: CallOptions): Promise<RawResult>;
  /** False once the program has ended or the connection is broken. */
  isOpen(): boolean;
  close(): Promise<void>;
}

export interface CallOptions {
  signal: AbortSignal;
  /** The time that a person takes to answer does not count. */
  timeoutMs: number;
  progress(text: string): void;
  /** Asks a person when the server wants input; absent: the request is declined, and the result says so. */
  elicit?: AskForm | undefined;
}

/** The result of `tools/call`. */
export interface RawResult {
  content: readonly Record<string, unknown>[];
  structuredContent?: unknown;
  isError?: boolean;
  /** Lainclaw's own remarks about the result. */
  notes?: readonly string[];
}

/** Characters of a program's stderr that are kept to explain why it ended. */
const LAST_WORDS = 4_000;

export interface ConnectOptions {
  name: string;
  server: McpServerConfig;
  version: string;
  variables: Variables;
  /** Called with the program's stderr. */
  onStderr(text: string): void;
  onToolsChanged(): void;
  fits: ElicitationsDependencies['fits'];
  signIns: Pick<SignIns, 'stored'>;
  signal: AbortSignal;
}

export async function connect(options: ConnectOptions): Promise<McpConnection> {
  const { name, version, onToolsChanged, signal } = options;
  const { Client: McpClient } = await import('@modelcontextprotocol/client');
  const client = new McpClient(
    { name: 'lainclaw', version },
    {
      capabilities: { elicitation: { form: { applyDefaults: true } } },
      // Over stdio the library would start the program twice to find the version; there every server understands the older handshake.
      versionNegotiation: { mode: options.server.kind === 'url' ? 'auto' : 'legacy' },
      listChanged: { tools: { autoRefresh: false, onChanged: onToolsChanged } },
    },
  );
  const elicitations = createElicitations({ server: name, fits: options.fits, log: options.onStderr });
  client.setRequestHandler('elicitation/create', async ({ params }, { mcpReq }) => {
    if (params.mode === 'url') return { action: 'decline' };
    const schema = params.requestedSchema as unknown as FormSchema;
    return elicitations.answer({ message: params.message, schema }, mcpReq.signal);
  });
  let open = true;
  client.onclose = () => {
    open = false;
  };
  const hidden = (error: unknown): never => {
    if (isUnauthorised(error)) throw needsSignIn(name);
    if (error instanceof Error) error.message = withoutSecrets(error.message, options);
    throw error;
  };
  let said = '';
  const onStderr = (text: string): void => {
    said = (said + text).slice(-LAST_WORDS);
    options.onStderr(text);
  };
  try {
    const transport = await transportFor({ ...options, onStderr });
    await client.connect(transport, { signal, timeout: CONNECT_MS }).catch(hidden);
  } catch (error) {
    await client.close().catch(() => {});
    signal.throwIfAborted();
    if (error instanceof McpError) throw error;
    const why = [reasonOf(error), ...lastWords(withoutSecrets(said, options))].join('; it said: ');
    throw new McpError('MCP_UNREACHABLE', `the server "${name}" cannot be used: ${why}`, error);
  }
  return {
    listTools: (listing) => listAll(client, listing).catch(hidden),
    async callTool(tool, args, { signal: calling, timeoutMs, progress, elicit }) {
      const late = `the server "${name}" took longer than ${timeoutMs / 1_000} s over ${tool}`;
      const limit = createCallLimit(timeoutMs, () => new McpError('MCP_TIMEOUT', late));
      const until = AbortSignal.any([calling, limit.signal]);
      const unasked: string[] = [];
      const call = { elicit, signal: until, limit, onUnasked: (message: string) => void unasked.push(message) };
      const onprogress = ({ progress: done, total, message }: { progress: number; total?: number; message?: string }) =>
        progress(`${[total === undefined ? done : `${done}/${total}`, message ?? ''].join(' ').trim()}\n`);
      const wanted = { signal: until, timeout: timeoutMs + PERSON_MS, onprogress };
      const result = await elicitations
        .during(call, () => client.callTool({ name: tool, arguments: args }, wanted))
        .catch((error: unknown) => {
          if (limit.signal.aborted && !calling.aborted) throw limit.signal.reason;
          return hidden(error);
        })
        .finally(limit.end);
      return { ...(result as unknown as RawResult), notes: unasked.map(noteOf) };
    },
    isOpen: () => open,
    close: () => client.close(),
  };
}

/** The most informative line of what a program wrote before it ended. */
function lastWords(text: string): string[] {
  const lines = text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '');
  const line = lines.findLast((each) => /error/i.test(each)) ?? lines.at(-1);
  return line === undefined ? [] : [line.slice(0, 300)];
}

type Transport = Parameters<Client['connect']>[0];

async function transportFor({ name, server, variables, signIns, onStderr }: ConnectOptions): Promise<Transport> {
  if (server.kind === 'url') {
    const { StreamableHTTPClientTransport } = await import('@modelcontextprotocol/client');
    const requestInit = { headers: expand(name, server.headers, variables), redirect: 'error' as const };
    const authProvider = await signIns.stored(name, server);
    return new StreamableHTTPClientTransport(new URL(server.url), { requestInit, authProvider });
  }
  const { StdioClientTransport, getDefaultEnvironment } = await import('@modelcontextprotocol/client/stdio');
  const { command, args, cwd } = server;
  // Otherwise the system would report that the program was not found.
  if (cwd !== undefined && !(await isDirectory(cwd)))
    throw new McpError(
      'MCP_UNREACHABLE',
      `the server "${name}" cannot be started: its "cwd" ${cwd} is not a directory`,
    );
  const env = { ...getDefaultEnvironment(), ...expand(name, server.env, variables) };
  if (process.platform !== 'win32') return createProgramTransport({ command, args, env, cwd, onStderr });
  // Windows has no process groups, and programs such as npx need help to start.
  const transport = new StdioClientTransport({ command, args: [...args], env, cwd, stderr: 'pipe' });
  transport.stderr?.on('data', (chunk: Buffer) => onStderr(chunk.toString('utf8')));
  return transport;
}

/** Explains in the result why the server did not get the input it asked for. */
function noteOf(message: string): string {
  return `[The server asked for input: ${JSON.stringify(message)}. Nobody can be asked here, so it was declined.]`;
}

async function isDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => found.isDirectory(),
    () => false,
  );
}

/** Error messages of a library or a server may repeat the secrets they were given. */
function withoutSecrets(text: string, { server, variables }: ConnectOptions): string {
  const given: string[] = Object.values(
    server.kind === 'url' ? { ...server.headers, ...secretsOf(server.oauth) } : server.env,
  );
  const named = given.flatMap((value) => [...value.matchAll(REFERENCE)].map(([, name = '']) => variables[name] ?? ''));
  const inUrl = server.kind === 'url' ? [...new URL(server.url).searchParams.values()] : [];
  return [...given, ...named, ...inUrl]
    .filter((secret) => secret.length >= SHORTEST_SECRET)
    .reduce((hidden, secret) => hidden.replaceAll(secret, '***'), text);
}

function secretsOf(oauth: McpOAuth | undefined): Record<string, string> {
  const { clientSecret = '', privateKey = '', idpClientSecret = '' } = { ...oauth } as Record<string, string>;
  return { clientSecret, privateKey, idpClientSecret };
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

function isUnauthorised(error: unknown): boolean {
  const { name, status } = error as Error & { status?: unknown };
  return status === 401 || name === 'UnauthorizedError';
}

/** True when the server no longer knows the session: the call was not run. */
export function isSessionGone(error: unknown): boolean {
  return error instanceof Error && (error as Error & { status?: unknown }).status === 404;
}

export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'the program was not found';
  return error instanceof Error ? message : String(error);
}
