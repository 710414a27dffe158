// The protocol over streamable HTTP, as a function from request to response that any HTTP server can mount. A request must name
// this machine in Host and Origin, then be admitted, before anything of its body is read. Clients of the 2025 protocol get a session (progress, cancelling
// and resuming need one); newer clients say everything with each request and get none.
import type { WebStandardStreamableHTTPServerTransport as Transport } from '@modelcontextprotocol/server';
import type { SecretAttempt } from '../lib/secret-attempts.ts';
import { createEventLog } from './event-log.ts';
import type { CreateMcpServer } from './serve.ts';

const MAX_BODY_BYTES = 4 * 1024 * 1024;
const MAX_SESSIONS = 64;
const RETRY_MS = 1_000;

export interface McpHttpHandler {
  handle(request: Request): Promise<Response>;
  /** Ends every session and its calls. */
  close(): Promise<void>;
}

export interface McpHttpHandlerOptions {
  create: CreateMcpServer;
  /** Names of this server in `Host` and `Origin`, without ports. By default those of the loopback. */
  hosts?: readonly string[];
  /** Tells whether the request carries the token. */
  admits(request: Request): Promise<SecretAttempt>;
  /** The id must not be guessable. */
  newSessionId(): string;
  onError(error: Error): void;
}

interface Session {
  transport: Transport;
  close(): Promise<void>;
}

export async function createMcpHttpHandler(options: McpHttpHandlerOptions): Promise<McpHttpHandler> {
  const { create, newSessionId, onError } = options;
  const library = await import('@modelcontextprotocol/server');
  const hosts = [...(options.hosts ?? library.localhostAllowedHostnames())];
  const modern = library.createMcpHandler(create, {
    legacy: 'reject',
    maxRequestBodySize: MAX_BODY_BYTES,
    onerror: onError,
  });
  // In order of last use.
  const sessions = new Map<string, Session>();

  async function open(): Promise<Session> {
    const server = create();
    const session: Session = {
      transport: new library.WebStandardStreamableHTTPServerTransport({
        sessionIdGenerator: newSessionId,
        onsessioninitialized: (id) => keep(id, session),
        onsessionclosed: (id) => void sessions.delete(id),
        eventStore: createEventLog(),
        retryInterval: RETRY_MS,
        maxRequestBodySize: MAX_BODY_BYTES,
      }),
      close: () => server.close().catch(onError),
    };
    session.transport.onerror = onError;
    await server.connect(session.transport);
    return session;
  }

  function keep(id: string, session: Session): void {
    sessions.set(id, session);
    const [oldest] = sessions;
    if (sessions.size <= MAX_SESSIONS || !oldest) return;
    sessions.delete(oldest[0]);
    void oldest[1].close();
  }

  async function inSession(request: Request): Promise<Response> {
    const id = request.headers.get('mcp-session-id');
    if (id === null) {
      const session = await open();
      const response = await session.transport.handleRequest(request);
      if (session.transport.sessionId === undefined) await session.close();
      return response;
    }
    const session = sessions.get(id);
    if (!session) return refusal(404, 'there is no such session: initialize a new one');
    sessions.delete(id);
    sessions.set(id, session);
    return session.transport.handleRequest(request);
  }

  return {
    async handle(request) {
      const refused =
        library.hostHeaderValidationResponse(request, hosts) ?? library.originValidationResponse(request, hosts);
      if (refused) return refused;
      const attempt = await options.admits(request);
      if (attempt.outcome === 'limited') return tooManyAttempts(attempt.retryAfterSeconds);
      if (attempt.outcome === 'wrong') return unauthorised();
      if (request.method === 'POST' && !library.isJsonContentType(request.headers.get('content-type')))
        return refusal(415, 'only application/json is accepted');
      const isLegacy = await library.isLegacyRequest(request, undefined, { maxRequestBodySize: MAX_BODY_BYTES });
      return isLegacy ? inSession(request) : modern.fetch(request);
    },
    async close() {
      const open = [...sessions.values()];
      sessions.clear();
      await Promise.all([modern.close(), ...open.map((session) => session.close())]);
    },
  };
}

function unauthorised(): Response {
  const response = refusal(401, 'this needs the bearer token');
  response.headers.set('WWW-Authenticate', 'Bearer');
  return response;
}

function tooManyAttempts(seconds: number): Response {
  const response = refusal(429, `too many wrong tokens: try again in ${seconds} s`);
  response.headers.set('Retry-After', String(seconds));
  return response;
}

function refusal(status: number, message: string): Response {
  return Response.json({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null }, { status });
}
