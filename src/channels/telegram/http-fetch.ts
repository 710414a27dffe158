// A fetch over node:http with just what the Bot API needs. The built-in fetch would cost 18 MB more in a gateway that
// idles, follows redirects with the token in the address, and does not tell whether a request had left the machine.
import type { IncomingMessage, RequestOptions } from 'node:http';

export interface HttpRequest {
  method?: string;
  headers?: Record<string, string>;
  /** grammY makes a stream of a request that holds a file; it is small enough to be sent as a whole. */
  body?: string | AsyncIterable<Uint8Array>;
  signal?: AbortSignal;
}

export interface HttpAnswer {
  status: number;
  /** What was read so far is bounded by the caller. */
  body: AsyncIterable<Uint8Array>;
  json(): Promise<unknown>;
}

export type HttpFetch = (url: string, request: HttpRequest) => Promise<HttpAnswer>;

/** The exchange broke off. Its message names no address: addresses hold the token. */
export class HttpFailure extends Error {
  /** False: the other side has seen nothing of the request. */
  readonly wasSent: boolean;

  constructor(message: string, wasSent: boolean) {
    super(message);
    this.name = 'HttpFailure';
    this.wasSent = wasSent;
  }
}

const MOST_JSON_BYTES = 32 * 1024 * 1024;
const KEEP_ALIVE_AFTER_MS = 15_000;

export const httpFetch: HttpFetch = async (url, { method = 'GET', headers = {}, body: given, signal }) => {
  const body = given === undefined || typeof given === 'string' ? given : Buffer.concat(await Array.fromAsync(given));
  const target = new URL(url);
  const isSecure = target.protocol === 'https:';
  // Not import(): that reads every export, and one of node:http's loads the built-in fetch.
  const { request: open } = process.getBuiltinModule(isSecure ? 'node:https' : 'node:http');
  const options: RequestOptions = { method, headers: { ...headers }, signal };
  if (body !== undefined) options.headers = { ...headers, 'content-length': Buffer.byteLength(body) };
  let wasSent = false;
  const answer = await new Promise<IncomingMessage>((resolve, reject) => {
    if (signal?.aborted) return reject(new HttpFailure('given up', false));
    const request = open(target, options, resolve);
    request.once('socket', (socket) => {
      socket.setKeepAlive(true, KEEP_ALIVE_AFTER_MS);
      if (!socket.connecting) wasSent = true;
      else
        socket.once(isSecure ? 'secureConnect' : 'connect', () => {
          wasSent = true;
        });
    });
    request.once('error', (error) => reject(new HttpFailure(reasonOf(error), wasSent)));
    request.end(body);
  });
  return {
    status: answer.statusCode ?? 0,
    body: answer,
    async json() {
      const bytes = await readAll(answer);
      try {
        return JSON.parse(bytes.toString('utf8'));
      } catch {
        throw new HttpFailure(`the answer is not JSON (HTTP ${answer.statusCode})`, true);
      }
    },
  };
};

async function readAll(answer: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of answer as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > MOST_JSON_BYTES) throw new HttpFailure('the answer is too large', true);
      chunks.push(chunk);
    }
  } catch (error) {
    throw error instanceof HttpFailure ? error : new HttpFailure(reasonOf(error), true);
  }
  return Buffer.concat(chunks);
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'the connection broke';
  if ('code' in error && error.code === 'ABORT_ERR') return 'given up';
  if (error instanceof AggregateError && error.errors[0]) return reasonOf(error.errors[0]);
  return error.message || ('code' in error ? String(error.code) : error.name);
}
