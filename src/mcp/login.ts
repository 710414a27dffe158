// Signs in to a server: the server names an address, a person visits it, and the browser returns to a port of this machine
// with a code that is exchanged for tokens. The code must come with the state we sent, so nobody else can supply one.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { reasonOf } from './connect.ts';
import { McpError } from './mcp-error.ts';
import { discoverAtOwnRoot } from './own-root-issuer.ts';
import type { SignIns, UrlServer } from './sign-in.ts';
import { expand, type Variables } from './variables.ts';

const PATH = '/callback';
const PERSON_MS = 5 * 60_000;
const PAGE = '<!doctype html><title>Lainclaw</title><p>Done: you can close this page and go back.';

export interface LoginOptions {
  name: string;
  server: UrlServer;
  signIns: SignIns;
  version: string;
  variables: Variables;
  /** Shows a person the address to visit. */
  visit(url: URL): void;
  signal: AbortSignal;
}

/** Resolves when the server accepts us; at once when it needs no sign-in. */
export async function login(options: LoginOptions): Promise<'signed-in' | 'not-needed'> {
  const { name, server, signIns, version, variables, visit, signal } = options;
  const { Client, StreamableHTTPClientTransport, UnauthorizedError } = await import('@modelcontextprotocol/client');
  const state = crypto.randomUUID();
  const callback = await listen(state, AbortSignal.any([signal, AbortSignal.timeout(PERSON_MS)]));
  const visitor = { redirectUrl: callback.url, state, visit };
  let authProvider = signIns.withPerson(name, server, visitor);
  const requestInit = { headers: expand(name, server.headers, variables), redirect: 'error' as const };
  const attempt = async (): Promise<StreamableHTTPClientTransport | undefined> => {
    const transport = new StreamableHTTPClientTransport(new URL(server.url), { authProvider, requestInit });
    const client = new Client({ name: 'lainclaw', version }, { capabilities: {} });
    try {
      await client.connect(transport, { signal });
      await client.listTools({}, { signal });
      return undefined;
    } catch (error) {
      if (UnauthorizedError.isInstance(error)) return transport;
      throw error;
    } finally {
      await client.close().catch(() => {});
    }
  };
  try {
    const refused = await attempt().catch(async (error: unknown) => {
      const found = await discoverAtOwnRoot(error, server.url, signal);
      if (!found) throw error;
      authProvider = signIns.withPerson(name, server, { ...visitor, discovery: found });
      return attempt();
    });
    if (!refused) return 'not-needed';
    await refused.finishAuth(await callback.answer);
    if (await attempt()) throw new McpError('MCP_SIGN_IN', 'it still refuses us after signing in');
    return 'signed-in';
  } catch (error) {
    signal.throwIfAborted();
    throw new McpError('MCP_SIGN_IN', `signing in to the server "${name}" failed: ${reasonOf(error)}`, error);
  } finally {
    callback.close();
  }
}

interface Callback {
  url: string;
  answer: Promise<URLSearchParams>;
  close(): void;
}

async function listen(state: string, signal: AbortSignal): Promise<Callback> {
  const { promise: answer, resolve, reject } = Promise.withResolvers<URLSearchParams>();
  answer.catch(() => {});
  const onAbort = (): void => reject(new Error('nobody came back from the sign-in in time'));
  signal.addEventListener('abort', onAbort, { once: true });
  const http = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
    if (pathname !== PATH || searchParams.get('state') !== state) return void response.writeHead(404).end();
    response.writeHead(200, { 'Content-Type': 'text/html; charset=utf-8' }).end(PAGE);
    resolve(searchParams);
  });
  await new Promise<void>((ready, failed) => void http.once('error', failed).listen(0, '127.0.0.1', ready));
  return {
    url: `http://127.0.0.1:${(http.address() as AddressInfo).port}${PATH}`,
    answer,
    close() {
      signal.removeEventListener('abort', onAbort);
      http.close();
      http.closeAllConnections();
    },
  };
}
