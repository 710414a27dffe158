// The code between the library and the network. The library reports a failure as a sentence, so the status, Retry-After,
// the error's code and what went by in the stream are kept here as they came. Only this file puts in the key: the library
// never holds it, no header that comes from the environment is sent with it, and no redirect is followed, so that no answer
// can choose where it goes.
import type { HttpBody, HttpPartsFetch, HttpResponse } from '../http-fetch.ts';
import { framesOf, guardStream, type StreamNotes } from './event-stream.ts';
import { errorIn, type ProviderError, retryAfterMs } from './provider-error.ts';

export interface Seen extends StreamNotes {
  /** Of a request that was answered with anything but success. */
  refusal?: { status: number; error: ProviderError; retryAfterMs?: number };
}

/** An answer to a request: whole frames with valid JSON, or what was said instead of an answer. */
export type FramedAnswer =
  | { status: number; frames: AsyncIterable<string>; refusal?: undefined }
  | { status: number; refusal: string };

export interface FramedRequest {
  headers: Record<string, string>;
  body: HttpBody;
  signal?: AbortSignal;
}

/** For a library that wants a fetch. `frames` asks the same way for one that can read frames: without streams of bytes in between. */
export type WireFetch = typeof globalThis.fetch & {
  frames(url: string, request: FramedRequest): Promise<FramedAnswer>;
};

export interface WireOptions {
  fetch: typeof globalThis.fetch;
  /** For `frames`. */
  http: HttpPartsFetch;
  now(): number;
  onActivity(): void;
  /** Called with every event of the answer. */
  onEvent?(event: unknown): void;
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
  'nvcf-poll-seconds',
  'openai-beta',
  'originator',
  'session-id',
  'session_id',
  'user-agent',
  'x-affinity',
  'x-api-key',
  'x-client-request-id',
  'x-goog-api-key',
]);
const KEY_HEADERS = new Set(['authorization', 'x-api-key', 'x-goog-api-key']);
const LONGEST_ERROR = 64 * 1024;

export function createWire({ fetch, http, now, onActivity, onEvent, key }: WireOptions): {
  fetch: WireFetch;
  seen: Seen;
} {
  const seen: Seen = { rawArguments: new Map() };
  const listeners = { onActivity, onEvent };

  async function request(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(withKey(new Headers(init.headers), key));
    const response = await answered(() => fetch(input, { ...init, headers, redirect: 'manual' }));
    if (!response.ok) {
      const { status } = response;
      return new Response(await refused(response), { status, headers: { 'content-type': 'application/json' } });
    }
    if (!response.body) return response;
    return new Response(guardStream(response.body, seen, listeners), {
      headers: { 'content-type': 'text/event-stream' },
    });
  }

  async function frames(url: string, { headers, body, signal }: FramedRequest): Promise<FramedAnswer> {
    const sent = {
      method: 'POST',
      headers: withKey(Object.entries(headers), key),
      body,
      signal,
      redirect: 'manual' as const,
    };
    const response = await answered(() => http(url, sent));
    const { status } = response;
    if (!response.ok) return { status, refusal: await refused(response) };
    return { status, frames: framesOf(response.body ?? [], seen, listeners) };
  }

  async function answered<R extends HttpResponse>(ask: () => Promise<R>): Promise<R> {
    try {
      const response = await ask();
      onActivity();
      return response;
    } catch (error) {
      seen.broken = error;
      throw error;
    }
  }

  async function refused(response: HttpResponse): Promise<string> {
    const text = await readBounded(response).catch(() => '');
    const error = errorIn(text);
    seen.refusal = { status: response.status, error, retryAfterMs: retryAfterMs(response.headers, error, now()) };
    return text;
  }

  return { fetch: Object.assign(request, { frames }), seen };
}

function withKey(sent: Iterable<[string, string]>, key: string | undefined): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of sent) {
    if (!HEADERS.has(name)) continue;
    if (!KEY_HEADERS.has(name)) headers[name] = value;
    else if (key !== undefined) headers[name] = name === 'authorization' ? `Bearer ${key}` : key;
  }
  return headers;
}

async function readBounded(response: HttpResponse): Promise<string> {
  if (!response.body) return '';
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of response.body) {
    text += decoder.decode(chunk, { stream: true });
    if (text.length >= LONGEST_ERROR) break;
  }
  return text;
}
