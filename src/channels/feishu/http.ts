// One HTTP exchange over Node's own client: the long connection loads it anyway, while `fetch` would cost another 17 MB and
// 40 ms. A failure says whether the request can have reached the other side; an answer is read up to a bound.
import { Agent, type IncomingMessage, request as requestPlain } from 'node:http';
import { request as requestSecure, Agent as SecureAgent } from 'node:https';

export interface HttpRequest {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  url: string;
  headers?: Record<string, string>;
  body?: string | Uint8Array;
  timeoutMs: number;
  maxBytes: number;
}

export interface HttpAnswer {
  status: number;
  header(name: string): string | undefined;
  body: Buffer;
}

/** `sent: false` is certain: the other side has seen nothing. */
export class HttpFailure extends Error {
  readonly sent: boolean;
  readonly isTooLarge: boolean;

  constructor(message: string, options: { sent: boolean; isTooLarge?: boolean; cause?: unknown }) {
    super(message, { cause: options.cause });
    this.name = 'HttpFailure';
    this.sent = options.sent;
    this.isTooLarge = options.isTooLarge ?? false;
  }
}

export interface HttpClient {
  /** Rejects with HttpFailure, or with the signal's reason. */
  exchange(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer>;
  close(): void;
}

const IDLE_SOCKET_MS = 30_000;
const MAX_SOCKETS = 16;

export function createHttpClient(baseUrl: string): HttpClient {
  const isSecure = baseUrl.startsWith('https:');
  const options = { keepAlive: true, maxSockets: MAX_SOCKETS, timeout: IDLE_SOCKET_MS };
  const agent = isSecure ? new SecureAgent(options) : new Agent(options);

  let isClosed = false;

  function exchange(request: HttpRequest, signal: AbortSignal): Promise<HttpAnswer> {
    const { method, url, headers, body, timeoutMs, maxBytes } = request;
    return new Promise((resolve, reject) => {
      if (signal.aborted) return reject(signal.reason);
      if (isClosed) return reject(new HttpFailure('the channel is closed', { sent: false }));
      const start = isSecure ? requestSecure : requestPlain;
      const outgoing = start(url, {
        method,
        agent,
        headers: { ...headers, ...(body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }) },
      });
      let isConnected = false;
      const fail = (message: string, details: { isTooLarge?: boolean; cause?: unknown } = {}) => {
        settle(() => reject(new HttpFailure(message, { sent: isConnected, ...details })));
        outgoing.destroy();
      };
      const timer = setTimeout(() => fail(`no answer within ${timeoutMs / 1000} s`), timeoutMs);
      const abort = () => {
        settle(() => reject(signal.reason));
        outgoing.destroy();
      };
      signal.addEventListener('abort', abort, { once: true });
      let isSettled = false;
      function settle(finish: () => void): void {
        if (isSettled) return;
        isSettled = true;
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        finish();
      }

      outgoing.on('socket', (socket) => {
        if (outgoing.reusedSocket) isConnected = true;
        else
          socket.once(isSecure ? 'secureConnect' : 'connect', () => {
            isConnected = true;
          });
      });
      outgoing.on('error', (cause: NodeJS.ErrnoException) => fail(cause.code ?? cause.message, { cause }));
      outgoing.on('response', (answer) => {
        readBounded(answer, maxBytes).then(
          (bytes) => settle(() => resolve(answerOf(answer, bytes))),
          (cause: Error) =>
            cause instanceof RangeError ? fail(cause.message, { isTooLarge: true }) : fail(cause.message, { cause }),
        );
      });
      outgoing.end(body);
    });
  }

  return {
    exchange,
    close() {
      isClosed = true;
      agent.destroy();
    },
  };
}

async function readBounded(answer: IncomingMessage, maxBytes: number): Promise<Buffer> {
  const tooLarge = () => new RangeError(`it has more than ${maxBytes} bytes`);
  if (Number(answer.headers['content-length'] ?? 0) > maxBytes) throw tooLarge();
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of answer as AsyncIterable<Buffer>) {
    bytes += chunk.byteLength;
    if (bytes > maxBytes) throw tooLarge();
    chunks.push(chunk);
  }
  if (!answer.complete) throw new Error('the answer was cut off');
  return Buffer.concat(chunks);
}

function answerOf(answer: IncomingMessage, body: Buffer): HttpAnswer {
  return {
    status: answer.statusCode ?? 0,
    header: (name) => {
      const value = answer.headers[name];
      return Array.isArray(value) ? value[0] : value;
    },
    body,
  };
}
