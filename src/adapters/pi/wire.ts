// Stands between the library and the network, because what the library tells of a failure is a sentence: here the
// status, Retry-After, the error's code and what went by in the stream are kept as they came. The key is put in here
// and nowhere else: the library never holds it, no header slipped in by the environment is sent with it, and no redirect
// is followed, so that no answer can choose where it goes.
import { guardStream, type StreamNotes } from './event-stream.ts';
import { errorIn, type ProviderError, retryAfterMs } from './provider-error.ts';

export interface Seen extends StreamNotes {
  /** Of a request that was answered with anything but success. */
  refusal?: { status: number; error: ProviderError; retryAfterMs?: number };
}

export interface WireOptions {
  fetch: typeof globalThis.fetch;
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
]);
const LONGEST_ERROR = 64 * 1024;

export function createWire({ fetch, now, onActivity, onEvent, key }: WireOptions): {
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
    return new Response(guardStream(response.body, seen, { onActivity, onEvent }), {
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
