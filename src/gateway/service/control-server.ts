// The gateway over HTTP, on loopback: health, status, sending, the webhooks of channels, and the console, which is handed each request first.
//
// Loopback is not authentication: every route but the webhooks, /mcp and the console's needs the token of this start, compared in constant time; wrong
// ones are limited (429). Before it, a Host or Origin that is not ours is refused (403), so that no page in a browser reaches us under another name.
// Bodies are JSON (415) and bounded (413). Forwarding headers are not looked at. Webhooks carry the platform's own signature,
// which the channel checks before it parses anything; /mcp has its own token, which outlives a start.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Context, Hono } from 'hono';
import { monotonicMs } from '../../lib/monotonic.ts';
import { createSecretAttempts, isSameSecret, type SecretAttempts, WRONG_SECRETS } from '../../lib/secret-attempts.ts';
import { createMemoryLimits } from '../../storage/memory-limits.ts';
import { ServiceError } from './service-error.ts';
import type { ServiceStatus } from './service-status.ts';

export interface ControlHandlers {
  status(): Promise<ServiceStatus>;
  /** Why not; undefined when messages can arrive and be answered. */
  unready(): Promise<string | undefined>;
  send(target: { channel: string; chatId: string }, text: string): Promise<SendOutcome>;
  /** Another process left something to be done. */
  wake(): void;
  /** How many dead letters are sent again: one, or all of them without a key. */
  retry(key: string | undefined): Promise<number>;
  /** Ends one channel; false when it is not running. */
  stopChannel(channel: string): Promise<boolean>;
  /** Undefined: no channel takes webhooks under this name. */
  webhook(channel: string, account: string): ((request: Request) => Promise<Response>) | undefined;
  /** Our tools for other agents, where they are offered. It checks Host, Origin and its own token. */
  mcp?(request: Request): Promise<Response>;
  /** What Prometheus reads. */
  metrics?(): Promise<string>;
  /** The console and its API, which check everything themselves; false: the path is not theirs. */
  console?(incoming: IncomingMessage, outgoing: ServerResponse): Promise<boolean>;
  /** A defect: the caller learns nothing of it. */
  onDefect(error: unknown): void;
}

export type SendOutcome = { ok: true; account: string; keys: string[] } | { ok: false; message: string };

export interface ControlServer {
  readonly port: number;
  /** Ends open connections too. */
  close(): Promise<void>;
}

const LARGEST_BODY = 512 * 1024;
const LARGEST_WEBHOOK = 2 * 1024 * 1024;
const LONGEST_TEXT = 100_000;
const METRICS_TYPE = 'text/plain; version=0.0.4; charset=utf-8';

type Listener = ReturnType<typeof import('@hono/node-server').getRequestListener>;

export interface ControlOptions {
  token: string;
  port: number;
  handlers: ControlHandlers;
}

export async function startControlServer({ token, port, handlers }: ControlOptions): Promise<ControlServer> {
  let own = 0;
  // The library is loaded with the first request: a gateway that nobody asks starts sooner and stays smaller.
  let listening: Promise<Listener> | undefined;
  const listen = async (): Promise<Listener> => {
    const [{ getRequestListener }, routes] = await Promise.all([
      import('@hono/node-server'),
      createRoutes({ token, handlers, port: () => own }),
    ]);
    return getRequestListener(routes.fetch, { overrideGlobalObjects: false });
  };
  const server = createServer(async (incoming, outgoing) => {
    try {
      if (await handlers.console?.(incoming, outgoing)) return;
      listening ??= listen();
      await (await listening)(incoming, outgoing);
    } catch (error) {
      handlers.onDefect(error);
      outgoing.destroy();
    }
  });
  server.requestTimeout = 30_000;
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new ServiceError(
              'GATEWAY_START_FAILED',
              `port ${port} is taken: set another with --port, or 0 for a free one`,
            )
          : error,
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  own = (server.address() as AddressInfo).port;
  return {
    port: own,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export async function createRoutes(options: {
  token: string;
  port(): number;
  handlers: ControlHandlers;
}): Promise<Hono> {
  const [{ Hono }, { bodyLimit }] = await Promise.all([import('hono'), import('hono/body-limit')]);
  const { handlers } = options;
  const routes = new Hono();
  // The token is of this gateway alone, so its attempts are counted here.
  const attempts = createSecretAttempts(createMemoryLimits(monotonicMs).counter('control-token', WRONG_SECRETS));
  const tooLarge = (): Response => refusal(413, 'TOO_LARGE', 'the body is too large');

  routes.all(
    '/channels/:channel/:account',
    bodyLimit({ maxSize: LARGEST_WEBHOOK, onError: tooLarge }),
    async (context) => {
      const { channel, account } = context.req.param();
      const webhook = handlers.webhook(channel, account);
      return webhook ? webhook(context.req.raw) : refusal(404, 'NOT_FOUND', 'there is no webhook here');
    },
  );

  routes.all('/mcp', async (context) =>
    handlers.mcp ? handlers.mcp(context.req.raw) : refusal(404, 'NOT_FOUND', 'there is nothing here'),
  );

  routes.use(async (context, next) => {
    const refusal = await refusalOf(context, { ...options, attempts });
    if (refusal) return refusal;
    return next();
  });
  routes.use(bodyLimit({ maxSize: LARGEST_BODY, onError: tooLarge }));

  routes.get('/health', (context) => context.json({ ok: true }));
  routes.get('/ready', async (context) => {
    const reason = await handlers.unready();
    return reason === undefined ? context.json({ ready: true }) : context.json({ ready: false, reason }, 503);
  });
  routes.get('/status', async (context) => context.json(await handlers.status()));
  routes.get('/metrics', async (context) =>
    handlers.metrics
      ? context.text(await handlers.metrics(), 200, { 'content-type': METRICS_TYPE })
      : refusal(404, 'NOT_FOUND', 'there is nothing here'),
  );
  routes.post('/send', async (context) => {
    const { channel, chatId, text } = await bodyOf(context);
    if (!isText(channel, 100) || !isText(chatId, 500) || !isText(text, LONGEST_TEXT))
      return refusal(
        400,
        'BAD_BODY',
        `accepted: {"channel","chatId","text"}, text of at most ${LONGEST_TEXT} characters`,
      );
    const outcome = await handlers.send({ channel, chatId }, text);
    return outcome.ok
      ? context.json({ account: outcome.account, keys: outcome.keys })
      : refusal(403, 'NOT_ALLOWED', outcome.message);
  });
  routes.post('/wake', (context) => {
    handlers.wake();
    return context.json({ ok: true });
  });
  routes.post('/channels/stop', async (context) => {
    const { channel } = await bodyOf(context);
    if (!isText(channel, 100)) return refusal(400, 'BAD_BODY', 'accepted: {"channel"}');
    return context.json({ stopped: await handlers.stopChannel(channel) });
  });
  routes.post('/dead-letters/retry', async (context) => {
    const { key } = await bodyOf(context);
    if (key !== undefined && !isText(key, 500)) return refusal(400, 'BAD_BODY', 'accepted: {} or {"key"}');
    return context.json({ retried: await handlers.retry(key) });
  });

  routes.notFound(() => refusal(404, 'NOT_FOUND', 'there is nothing here'));
  routes.onError((error) => {
    if (error instanceof BadBody) return refusal(400, 'BAD_BODY', error.message);
    handlers.onDefect(error);
    return refusal(500, 'INTERNAL', 'the gateway failed to do this: its log tells why');
  });
  return routes;
}

interface RefusalOptions {
  token: string;
  port(): number;
  attempts: SecretAttempts;
}

async function refusalOf({ req }: Context, { token, port, attempts }: RefusalOptions): Promise<Response | undefined> {
  const hosts = [`127.0.0.1:${port()}`, `localhost:${port()}`];
  const origin = req.header('origin');
  if (!hosts.includes(req.header('host') ?? '')) return refusal(403, 'BAD_HOST', 'this Host is not ours');
  if (origin !== undefined && !hosts.some((host) => origin === `http://${host}`))
    return refusal(403, 'BAD_ORIGIN', 'this Origin is not allowed');
  const [, given] = /^Bearer (.+)$/i.exec(req.header('authorization') ?? '') ?? [];
  if (given === undefined) return refusal(401, 'UNAUTHORISED', 'the token of this gateway is needed');
  // The server is bound to the loopback: every caller is one address.
  const attempt = await attempts.attempt('loopback', () => isSameSecret(given, token));
  if (attempt.outcome === 'wrong') return refusal(401, 'UNAUTHORISED', 'this is not the token of this gateway');
  if (attempt.outcome === 'limited') return tooManyAttempts(attempt.retryAfterSeconds);
  const hasBody = !['GET', 'HEAD'].includes(req.method);
  if (hasBody && !/^application\/json\s*(;|$)/i.test(req.header('content-type') ?? ''))
    return refusal(415, 'JSON_ONLY', 'accepted: content-type application/json');
  return undefined;
}

function tooManyAttempts(seconds: number): Response {
  const response = refusal(429, 'TOO_MANY_ATTEMPTS', `too many wrong tokens: try again in ${seconds} s`);
  response.headers.set('Retry-After', String(seconds));
  return response;
}

class BadBody extends Error {}

async function bodyOf(context: Context): Promise<Record<string, unknown>> {
  let value: unknown;
  try {
    value = await context.req.json();
  } catch {
    throw new BadBody('the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BadBody('the body is not an object');
  return value as Record<string, unknown>;
}

function isText(value: unknown, longest: number): value is string {
  return typeof value === 'string' && value.trim() !== '' && value.length <= longest;
}

function refusal(status: number, code: string, message: string): Response {
  return Response.json({ error: { code, message } }, { status });
}
