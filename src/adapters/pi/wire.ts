// Stands between the library and the network, because what the library tells of a failure is a sentence: here the
// status, Retry-After, the error's code and the raw tool arguments are kept as they came. It passes on whole, valid
// frames only. The key is put in here and nowhere else: the library never holds it, no header slipped in by the
// environment is sent with it, and no redirect is followed, so that no answer can choose where it goes.
import { createFrames, dataOf } from './frames.ts';
import { errorIn, type ProviderError, retryAfterMs } from './provider-error.ts';

export interface Seen {
  /** Of a request that was answered with anything but success. */
  refusal?: { status: number; error: ProviderError; retryAfterMs?: number };
  /** An error sent inside a stream that had begun well. */
  streamError?: ProviderError;
  /** What arrived was no event stream, or a frame of it was no JSON. */
  malformed?: string;
  /** The connection failed, before or during the answer. */
  broken?: unknown;
  /** Arguments of each finished call of the Responses API, which the library only shows parsed and mended. */
  rawArguments: Map<string, string>;
}

export interface WireOptions {
  fetch: typeof globalThis.fetch;
  now(): number;
  onActivity(): void;
  /** Takes the place of what the library was given. Undefined where none is needed: then none is sent. */
  key: string | undefined;
}

const HEADERS = new Set([
  'accept',
  'anthropic-beta',
  'anthropic-version',
  'authorization',
  'chatgpt-account-id',
  'content-encoding',
  'content-type',
  'openai-beta',
  'originator',
  'session-id',
  'session_id',
  'user-agent',
  'x-api-key',
  'x-client-request-id',
]);
const LONGEST_ERROR = 64 * 1024;

export function createWire({ fetch, now, onActivity, key }: WireOptions): {
  fetch: typeof globalThis.fetch;
  seen: Seen;
} {
  const seen: Seen = { rawArguments: new Map() };

  async function request(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    let response: Response;
    try {
      response = await fetch(input, { ...init, headers: withKey(init.headers, key), redirect: 'manual' });
    } catch (error) {
      seen.broken = error;
      throw error;
    }
    onActivity();
    if (!response.ok) return refused(response);
    if (!response.body) return response;
    return new Response(wholeFrames(response.body, seen, onActivity), {
      headers: { 'content-type': 'text/event-stream' },
    });
  }

  async function refused(response: Response): Promise<Response> {
    const text = await readBounded(response).catch(() => '');
    const error = errorIn(text);
    seen.refusal = { status: response.status, error, retryAfterMs: retryAfterMs(response.headers, error, now()) };
    return new Response(text, { status: response.status, headers: { 'content-type': 'application/json' } });
  }

  return { fetch: request, seen };
}

function withKey(sent: RequestInit['headers'], key: string | undefined): Headers {
  const headers = new Headers(sent);
  for (const name of [...headers.keys()]) if (!HEADERS.has(name)) headers.delete(name);
  for (const name of ['authorization', 'x-api-key']) {
    if (!headers.has(name)) continue;
    if (key === undefined) headers.delete(name);
    else headers.set(name, name === 'authorization' ? `Bearer ${key}` : key);
  }
  return headers;
}

async function readBounded(response: Response): Promise<string> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= LONGEST_ERROR) break;
  }
  return text;
}

function wholeFrames(body: ReadableStream<Uint8Array>, seen: Seen, onActivity: () => void): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const decoder = new TextDecoder();
  const encoder = new TextEncoder();
  const frames = createFrames();

  /** Resolves with frames to pass on, or undefined at the end. Throws what the library is to stumble over. */
  async function next(): Promise<string[] | undefined> {
    for (;;) {
      const { done, value } = await reader.read().catch((error: unknown) => {
        seen.broken = error;
        throw error;
      });
      if (done) return undefined;
      onActivity();
      const whole = frames.push(decoder.decode(value, { stream: true })).filter((frame) => inspect(frame, seen));
      if (whole.length > 0) return whole;
    }
  }

  return new ReadableStream({
    async pull(controller) {
      try {
        const whole = await next();
        for (const frame of whole ?? lastFrame(frames.rest(), seen)) controller.enqueue(encoder.encode(`${frame}\n\n`));
        if (!whole) controller.close();
      } catch (error) {
        controller.error(error);
        reader.cancel().catch(() => {});
      }
    },
    cancel: (reason) => reader.cancel(reason),
  });
}

/** A stream may end without its last blank line. Half a frame is dropped: then the finish marker is missing too. */
function lastFrame(rest: string, seen: Seen): string[] {
  if (rest === '') return [];
  if (dataOf(rest) === undefined && !/^(event|id|retry)?:/.test(rest)) {
    const error = errorIn(rest);
    if (error.code || error.type || error.message) seen.streamError ??= error;
    else seen.malformed ??= 'it did not answer with an event stream';
    return [];
  }
  try {
    return inspect(rest, { rawArguments: seen.rawArguments }) ? [rest] : [];
  } catch {
    return [];
  }
}

/** False for a frame that carries nothing. Throws for one whose data is no JSON, before anyone prints it. */
function inspect(frame: string, seen: Seen): boolean {
  const data = dataOf(frame);
  if (data === undefined) {
    if (/^(event|id|retry)?:/.test(frame)) return false;
    seen.malformed = 'it did not answer with an event stream';
    throw new Error(seen.malformed);
  }
  if (data === '' || data === '[DONE]') return data !== '';
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    seen.malformed = 'a frame of its stream was not JSON';
    throw new Error(seen.malformed);
  }
  note(value as Record<string, unknown>, seen);
  return true;
}

interface FinishedItem {
  type?: string;
  id?: string;
  call_id?: string;
  arguments?: unknown;
}

function note(event: Record<string, unknown> | null, seen: Seen): void {
  if (event === null || typeof event !== 'object') return;
  if (event.type === 'response.output_item.done') {
    const item = event.item as FinishedItem | undefined;
    if (item?.type === 'function_call' && typeof item.arguments === 'string') {
      seen.rawArguments.set(`${item.call_id}|${item.id}`, item.arguments);
    }
  } else if (event.type === 'response.failed') {
    seen.streamError ??= errorIn((event.response as object | undefined) ?? {});
  } else if (event.type === 'error' || (event.error !== undefined && event.error !== null)) {
    seen.streamError ??= errorIn(event);
  }
}
