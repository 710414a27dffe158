// A fetch over node:http with just what asking a model needs. The built-in one takes three times the processor time for a request and
// 18 MB, which a chat and a gateway would keep for good. Redirects are not followed; failures have the shape of the built-in one's.
import type { ClientRequest, IncomingMessage } from 'node:http';

export interface HttpRequest {
  method?: string;
  headers?: Record<string, string>;
  body?: string;
  /** Either way none is followed. */
  redirect?: 'manual' | 'error';
  signal?: AbortSignal | null;
}

/** What is used of a `Response`, which is one too. */
export interface HttpResponse {
  ok: boolean;
  status: number;
  headers: { get(name: string): string | null };
  /** Must be read: until its end the connection serves nobody else. Leaving it before its end closes the connection. */
  body: AsyncIterable<Uint8Array> | null;
  text(): Promise<string>;
  json(): Promise<unknown>;
}

/** Rejects with the signal's reason when it fires, also while the body is read. */
export type HttpFetch = (url: string, request?: HttpRequest) => Promise<HttpResponse>;

/** Parts are sent one after the other as they are: none is copied. */
export type HttpBody = string | readonly (string | Uint8Array)[];

type HttpPartsRequest = Omit<HttpRequest, 'body'> & { body?: HttpBody };

/** An `HttpFetch` that also takes a body in parts. */
export type HttpPartsFetch = (url: string, request?: HttpPartsRequest) => Promise<HttpResponse>;

export const httpFetch: HttpPartsFetch = async (url, request = {}) => {
  const { signal } = request;
  signal?.throwIfAborted();
  const answer = await send(new URL(url), request).catch((error: unknown) => {
    throw signal?.aborted ? signal.reason : new TypeError('fetch failed', { cause: error });
  });
  const status = answer.statusCode ?? 0;
  const body = bytesOf(answer, signal);
  const text = async (): Promise<string> => {
    const decoder = new TextDecoder();
    let whole = '';
    for await (const bytes of body) whole += decoder.decode(bytes, { stream: true });
    return whole + decoder.decode();
  };
  return {
    ok: status >= 200 && status < 300,
    status,
    headers: { get: (name) => headerOf(answer, name) },
    body,
    text,
    json: async () => JSON.parse(await text()) as unknown,
  };
};

/** The same over another fetch, which takes a body only as one text. */
export function withWholeBody(fetch: HttpFetch): HttpPartsFetch {
  return (url, { body, ...request } = {}) => {
    const whole = typeof body === 'object' ? Buffer.concat(body.map((part) => Buffer.from(part))).toString() : body;
    return fetch(url, { ...request, body: whole });
  };
}

/**
 * The other side may have closed a connection that was kept. Then the request is sent once more, on a new one, but only where nothing of it was
 * sent before, or where it changes nothing: a model answers, and is paid for, each time. Any other failure is the caller's to repeat.
 */
async function send(target: URL, request: HttpPartsRequest): Promise<IncomingMessage> {
  try {
    return await sendOnce(target, request);
  } catch (error) {
    if (!(error instanceof StaleConnection)) throw error;
    return sendOnce(target, request);
  }
}

class StaleConnection extends Error {}

function sendOnce(target: URL, { method = 'GET', headers, body, signal }: HttpPartsRequest): Promise<IncomingMessage> {
  // Not import(): that reads every export, and one of node:http's loads the built-in fetch.
  const { request: open } = process.getBuiltinModule(target.protocol === 'https:' ? 'node:https' : 'node:http');
  return new Promise((resolve, reject) => {
    const parts = typeof body === 'string' ? [body] : (body ?? []);
    const length = body === undefined ? {} : { 'content-length': bytesIn(parts) };
    let answer: IncomingMessage | undefined;
    const sent: ClientRequest = open(target, { method, headers: { ...headers, ...length } }, (received) => {
      answer = received;
      // The reader gets the failure; a body that nobody reads may fail as well, when the signal fires.
      answer.on('error', () => {});
      resolve(answer);
    });
    // Not by the option of the request: when the whole answer is here, that would fail a connection that nobody listens to any more.
    const onAbort = (): void => {
      if (answer?.complete) answer.destroy();
      else sent.destroy(new Error('given up'));
    };
    signal?.addEventListener('abort', onAbort, { once: true });
    sent.once('close', () => signal?.removeEventListener('abort', onAbort));
    let isSent = false;
    const write = (): void => {
      if (sent.destroyed) return;
      isSent = true;
      for (const part of parts.slice(0, -1)) sent.write(part);
      sent.end(parts.at(-1));
    };
    sent.on('error', (error: NodeJS.ErrnoException) => {
      const mayRepeat = sent.reusedSocket && (!isSent || method === 'GET');
      reject(mayRepeat && !signal?.aborted && error.code === 'ECONNRESET' ? new StaleConnection() : error);
    });
    // The system may know already that a kept connection was closed: it says so before the second of these steps.
    sent.once('socket', () => (sent.reusedSocket ? setImmediate(() => setImmediate(write)) : write()));
  });
}

function bytesIn(parts: readonly (string | Uint8Array)[]): number {
  return parts.reduce((sum, part) => sum + Buffer.byteLength(part), 0);
}

async function* bytesOf(answer: IncomingMessage, signal: AbortSignal | null | undefined): AsyncGenerator<Uint8Array> {
  try {
    yield* answer as AsyncIterable<Uint8Array>;
  } catch (error) {
    throw signal?.aborted ? signal.reason : new TypeError('terminated', { cause: error });
  }
}

function headerOf({ headers }: IncomingMessage, name: string): string | null {
  const value = headers[name.toLowerCase()];
  if (value === undefined) return null;
  return Array.isArray(value) ? value.join(', ') : value;
}
