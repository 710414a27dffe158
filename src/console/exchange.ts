// A request and its answer, as a route handles them.
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ApiKey, ConsolePerson } from '../gateway/console-access/console-access.ts';
import type { Answerer } from '../gateway/turns/answerer.ts';
import { Problem } from './problem.ts';

/** Who asks; `sessionId` when a browser does. */
export interface Caller extends ConsolePerson {
  sessionId?: string;
  /** The key that was used; it is the owner's. */
  key?: ApiKey;
}

export interface Exchange {
  request: IncomingMessage;
  response: ServerResponse;
  url: URL;
  /** The variable parts of the route's path. */
  params: Readonly<Record<string, string>>;
  /** Undefined only on routes that admit anyone. */
  caller: Caller | undefined;
  /** Fires when the other side is gone. */
  signal: AbortSignal;
}

export interface Route {
  method: 'GET' | 'POST';
  /** `/api/operations/:name`; a trailing `*` takes the rest. */
  path: string;
  /** `anyone`: before signing in. `key`: a key of the OpenAI-compatible API, whose errors have another shape. */
  admits: 'anyone' | 'person' | 'owner' | 'key';
  /** What a body must be. */
  body: 'none' | 'json' | 'bytes';
  /** A file or a picture, which the browser loads without a script of the page: the cookie alone is enough. */
  isLoadedByBrowser?: true;
  handle(exchange: Exchange): Promise<void> | void;
}

/** The person of a route that admits nobody else. */
export function callerOf({ caller }: Exchange): Caller {
  if (!caller) throw new Problem(401, 'UNAUTHORISED', 'sign in first');
  return caller;
}

export function answererOf({ id, name, isOwner }: Pick<Caller, 'id' | 'name' | 'isOwner'>): Answerer {
  return { place: 'console', name, isOwner, ...(!isOwner && { person: id }) };
}

const LARGEST_JSON = 2 * 1024 * 1024;

export async function jsonBody(exchange: Exchange, most = LARGEST_JSON): Promise<Record<string, unknown>> {
  const bytes = await bodyBytes(exchange, most);
  let value: unknown;
  try {
    value = bytes.length === 0 ? {} : JSON.parse(bytes.toString('utf8'));
  } catch {
    throw new Problem(400, 'BAD_BODY', 'the body is not JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Problem(400, 'BAD_BODY', 'the body must be a JSON object');
  return value as Record<string, unknown>;
}

export async function bodyBytes({ request }: Pick<Exchange, 'request'>, most: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of bodyPieces({ request }, most)) parts.push(part);
  return Buffer.concat(parts);
}

/** The body as it comes. Throws Problem (413) as soon as there is more of it than `most`, or would be. */
export async function* bodyPieces({ request }: Pick<Exchange, 'request'>, most: number): AsyncGenerator<Buffer> {
  const tooLarge = (): Problem => new Problem(413, 'TOO_LARGE', `the body is larger than ${most} bytes`);
  if (Number(request.headers['content-length'] ?? 0) > most) throw tooLarge();
  let size = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    size += part.length;
    if (size > most) throw tooLarge();
    yield part;
  }
}

export function sendJson({ response }: Pick<Exchange, 'response'>, value: unknown, status = 200): void {
  const body = Buffer.from(JSON.stringify(value ?? null));
  response.writeHead(status, {
    'content-type': 'application/json; charset=utf-8',
    'content-length': body.length,
    'cache-control': 'no-store',
  });
  response.end(body);
}
