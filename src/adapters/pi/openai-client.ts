// The model library asks OpenAI's two protocols through OpenAI's SDK and uses of it one request each, whose answer is a stream of events. The build
// puts this client in the SDK's place (`scripts/lean-openai-sdk.ts`): a request takes a third of the processor time, and 300 kB are
// neither loaded nor kept. Keys, failures and the guards around a stream are the wire's.

import type { HttpBody } from '../http-fetch.ts';
import { earlierBytesOf } from './earlier-messages.ts';
import { dataOf } from './frames.ts';
import type { FramedAnswer, WireFetch } from './wire.ts';

interface ClientOptions {
  apiKey: string;
  baseURL: string;
  defaultHeaders: Record<string, string | null>;
  fetch: WireFetch;
}

interface Asked {
  withResponse(): Promise<{ data: AsyncIterable<unknown>; response: { status: number } }>;
}

type Create = (params: object, options?: { signal?: AbortSignal }) => Asked;

/** As the SDK's: the library looks for these fields. */
class RequestError extends Error {
  readonly status: number | undefined;
  readonly error: unknown;

  constructor(status: number | undefined, error: unknown) {
    super(`${status ?? 'the stream said'} ${typeof error === 'string' ? error : JSON.stringify(error)}`);
    this.status = status;
    this.error = error;
  }
}

export default class OpenAI {
  readonly chat: { completions: { create: Create } };
  readonly responses: { create: Create };

  constructor({ apiKey, baseURL, defaultHeaders, fetch }: ClientOptions) {
    const headers = requestHeaders(apiKey, defaultHeaders);
    const address = baseURL.replace(/\/$/, '');
    const creating =
      (path: string): Create =>
      (params, { signal } = {}) => ({
        async withResponse() {
          const answer = await fetch.frames(`${address}${path}`, { headers, body: written(params), signal });
          if (answer.refusal !== undefined) throw new RequestError(answer.status, bodyOf(answer.refusal));
          return { data: eventsIn(answer, signal), response: { status: answer.status } };
        },
      });
    this.chat = { completions: { create: creating('/chat/completions') } };
    this.responses = { create: creating('/responses') };
  }
}

function written(params: object): HttpBody {
  const earlier = earlierBytesOf(params);
  if (!earlier) return JSON.stringify(params);
  const { messages, ...others } = params as { messages: unknown[] };
  const texts = messages.map((message) => JSON.stringify(message));
  const before = texts.slice(0, earlier.at).map((text) => `${text},`);
  const after = texts.slice(earlier.at).map((text) => `,${text}`);
  return [
    [JSON.stringify(others).slice(0, -1), ',"messages":[', ...before].join(''),
    ...earlier.parts,
    [...after, ']}'].join(''),
  ];
}

function requestHeaders(apiKey: string, given: Record<string, string | null>): Record<string, string> {
  const headers: Record<string, string> = {
    accept: 'application/json',
    'content-type': 'application/json',
    authorization: `Bearer ${apiKey}`,
  };
  for (const [name, value] of Object.entries(given)) if (value !== null) headers[name.toLowerCase()] = value;
  return headers;
}

/**
 * It is read beyond the last event, to its end, so that the connection can be used again. A stream that is cancelled ends without a
 * failure: the library then looks at the signal.
 */
async function* eventsIn(
  { frames }: Extract<FramedAnswer, { refusal?: undefined }>,
  signal: AbortSignal | undefined,
): AsyncGenerator<unknown> {
  let isDone = false;
  try {
    for await (const frame of frames) {
      const data: string | undefined = isDone ? undefined : dataOf(frame);
      if (!data) continue;
      isDone = data.startsWith('[DONE]');
      if (isDone) continue;
      const event = JSON.parse(data) as { error?: unknown } | null;
      if (event?.error) throw new RequestError(undefined, event.error);
      yield event;
    }
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}

function bodyOf(text: string): unknown {
  try {
    const body = JSON.parse(text) as { error?: unknown } | null;
    return body?.error ?? body;
  } catch {
    return text;
  }
}
