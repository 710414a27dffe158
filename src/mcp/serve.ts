// Lainclaw as a server of the protocol. The offer is passed in, so this file knows neither tools nor documentation. A server
// object serves one connection; each transport (stdio, HTTP) makes its own.
import type { Readable, Writable } from 'node:stream';
import type { CallToolResult, GetPromptResult, Server, ServerContext } from '@modelcontextprotocol/server';

const MAX_PROGRESS_TEXT = 2_000;

export interface ServedTool {
  name: string;
  description: string;
  inputSchema: { type: 'object' } & Record<string, unknown>;
  /** True when the tool changes nothing anywhere. */
  onlyReads: boolean;
}

export interface ServedResource {
  uri: string;
  name: string;
  description: string;
  mimeType: string;
}

export interface ServedPrompt {
  name: string;
  description: string;
  arguments?: readonly { name: string; description?: string; required?: boolean }[];
}

type ResourceContent = { uri: string; mimeType: string } & ({ text: string } | { blob: string });
type PromptMessages = { role: 'user' | 'assistant'; content: Record<string, unknown> & { type: string } }[];

export interface ServedCall {
  /** Fires when the client cancels or disconnects. */
  signal: AbortSignal;
  /** Sent to a client that asked for progress. */
  progress(text: string): void;
  log(level: 'info' | 'warning', text: string): void;
}

/** The result of `tools/call`. `isError`: the tool failed, and the content tells the model why. */
export interface ServedResult {
  content: readonly (Record<string, unknown> & { type: string })[];
  structuredContent?: Record<string, unknown>;
  isError?: boolean;
}

export interface Offer {
  version: string;
  /** Instructions for the model that uses this server. */
  instructions?: string;
  tools(): Promise<ServedTool[]>;
  /** Undefined when there is no such tool. Rejects only when its signal fires. */
  call(name: string, args: Record<string, unknown>, call: ServedCall): Promise<ServedResult | undefined>;
  resources?: {
    list(): Promise<ServedResource[]>;
    /** Undefined when there is no such resource. */
    read(uri: string): Promise<ResourceContent | undefined>;
  };
  prompts?: {
    list(): Promise<ServedPrompt[]>;
    get(
      name: string,
      args: Readonly<Record<string, string>>,
    ): Promise<{ description?: string; messages: PromptMessages } | undefined>;
  };
}

type Library = typeof import('@modelcontextprotocol/server');

export type CreateMcpServer = () => Server;

/** Loads the library; the returned function makes a server for each connection. */
export async function createMcpServers(offer: Offer): Promise<CreateMcpServer> {
  const library = await import('@modelcontextprotocol/server');
  return () => createServer(library, offer);
}

function createServer(library: Library, offer: Offer): Server {
  const { resources, prompts, instructions } = offer;
  const capabilities = { tools: {}, logging: {}, ...(resources && { resources: {} }), ...(prompts && { prompts: {} }) };
  const server = new library.Server({ name: 'lainclaw', version: offer.version }, { capabilities, instructions });
  const missing = (what: string, name: string): Error =>
    new library.ProtocolError(library.INVALID_PARAMS, `there is no ${what} "${name}"`);

  server.setRequestHandler('tools/list', async () => ({
    tools: (await offer.tools()).map(({ onlyReads, ...tool }) => ({
      ...tool,
      annotations: { readOnlyHint: onlyReads },
    })),
  }));
  server.setRequestHandler('tools/call', async ({ params }, context) => {
    const result = await callTool(offer, params, context);
    if (!result) throw missing('tool', params.name);
    return result;
  });
  if (resources) {
    server.setRequestHandler('resources/list', async () => ({ resources: await resources.list() }));
    server.setRequestHandler('resources/templates/list', async () => ({ resourceTemplates: [] }));
    server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
      const content = await resources.read(uri);
      if (!content) throw new library.ResourceNotFoundError(uri);
      return { contents: [content] };
    });
  }
  if (prompts) {
    server.setRequestHandler('prompts/list', async () => ({
      prompts: (await prompts.list()).map(({ arguments: own, ...prompt }) => ({
        ...prompt,
        arguments: [...(own ?? [])],
      })),
    }));
    server.setRequestHandler('prompts/get', async ({ params: { name, arguments: args = {} } }) => {
      const found = await prompts.get(name, args);
      if (!found) throw missing('prompt', name);
      return found as GetPromptResult;
    });
  }
  return server;
}

/** Undefined when there is no such tool. */
export async function callTool(
  offer: Offer,
  { name, arguments: args = {} }: { name: string; arguments?: Record<string, unknown> },
  { mcpReq }: ServerContext,
): Promise<CallToolResult | undefined> {
  const progressToken = mcpReq._meta?.progressToken;
  let steps = 0;
  const progress = (text: string): void => {
    const message = text.trim().slice(0, MAX_PROGRESS_TEXT);
    if (progressToken === undefined || message === '') return;
    steps += 1;
    const params = { progressToken, progress: steps, message };
    void mcpReq.notify({ method: 'notifications/progress', params }).catch(() => {});
  };
  const log: ServedCall['log'] = (level, text) => void mcpReq.log(level, text, 'lainclaw').catch(() => {});
  return (await offer.call(name, args, { signal: mcpReq.signal, progress, log })) as CallToolResult | undefined;
}

export interface ServeStdioOptions {
  input: Readable;
  output: Writable;
  signal: AbortSignal;
  /** Called with errors outside the protocol. */
  onError(error: Error): void;
}

/** Serves the protocol on standard input and output; resolves when the client disconnects. */
export async function serveStdio(
  create: CreateMcpServer,
  { input, output, signal, onError }: ServeStdioOptions,
): Promise<void> {
  if (signal.aborted) return;
  const { serveStdio: serve, StdioServerTransport } = await import('@modelcontextprotocol/server/stdio');
  const transport = new StdioServerTransport(input, output);
  const { promise: ended, resolve } = Promise.withResolvers<void>();
  const handle = serve(create, { transport, onerror: onError });
  // The library registered its listener first, so its own clean-up is done by then.
  input.once('end', resolve).once('close', resolve);
  signal.addEventListener('abort', () => resolve(), { once: true });
  await ended;
  await handle.close();
}
