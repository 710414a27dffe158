// The body of an answer, frame by frame: only whole frames with valid JSON are passed on, so that what reads after us
// never stumbles over half of one, and never prints it. What the library would not tell is written down on the way.
import { createFragments } from './fragments.ts';
import { createFrames, dataOf } from './frames.ts';
import { errorIn, type ProviderError } from './provider-error.ts';

/** What went by in the stream. */
export interface StreamNotes {
  /** An error sent inside a stream that had begun well. */
  streamError?: ProviderError;
  /** What arrived was no event stream, or a frame of it was no JSON. */
  malformed?: string;
  /** The answer was longer than any answer is. */
  isEndless?: boolean;
  /** The connection failed. */
  broken?: unknown;
  /** Arguments of each finished call of the Responses API, which the library only shows parsed and repaired. */
  rawArguments: Map<string, string>;
}

/** Each token comes in a frame of some hundred bytes. */
const LONGEST_BODY = 128 * 1024 * 1024;
const NO_STREAM = 'it did not answer with an event stream';
const NO_DATA = /^(event|id|retry)?:/;

export interface StreamListeners {
  onActivity(): void;
  onEvent?(event: unknown): void;
}

/** The same frames as the bytes of a stream. */
export function guardStream(
  body: ReadableStream<Uint8Array>,
  notes: StreamNotes,
  listeners: StreamListeners,
): ReadableStream<Uint8Array> {
  const reader = body.getReader();
  const encoder = new TextEncoder();
  const frames = framesOf(readBy(reader), notes, listeners);
  return new ReadableStream({
    async pull(controller) {
      try {
        const { done, value } = await frames.next();
        if (done) controller.close();
        else controller.enqueue(encoder.encode(`${value}\n\n`));
      } catch (error) {
        controller.error(error);
        reader.cancel().catch(() => {});
      }
    },
    // Of the reader, not of the frames: these would wait for a server that is silent.
    cancel: (reason) => reader.cancel(reason),
  });
}

async function* readBy(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    yield value;
  }
}

/** Throws what the library is to stumble over. Leaving it before its end closes the connection. */
export async function* framesOf(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  notes: StreamNotes,
  { onActivity, onEvent }: StreamListeners,
): AsyncGenerator<string, undefined> {
  const decoder = new TextDecoder();
  const frames = createFrames();
  const fragments = createFragments();
  let length = 0;
  for await (const bytes of noting(body, notes)) {
    onActivity();
    length += bytes.length;
    if (length > LONGEST_BODY) {
      notes.isEndless = true;
      throw new Error('the answer has no end');
    }
    for (const frame of frames.push(decoder.decode(bytes, { stream: true }))) yield* read(frame, notes);
  }
  yield* last();

  /** Throws for a frame that cannot be what it should be. */
  function read(frame: string, into: StreamNotes): string[] {
    const data = dataOf(frame);
    if (data === undefined && !NO_DATA.test(frame)) throw malformed(NO_STREAM, into);
    if (!data) return [];
    if (data === '[DONE]') return [...fragments.flush(), frame];
    let event: unknown;
    try {
      event = JSON.parse(data);
    } catch {
      throw malformed('a frame of its stream was not JSON', into);
    }
    note(event, into);
    onEvent?.(event);
    return fragments.take(frame, event);
  }

  /** A stream may end without its last blank line. Half a frame is dropped: then the finish marker is missing too. */
  function last(): string[] {
    const rest = frames.rest();
    const isFrame = rest === '' || dataOf(rest) !== undefined || NO_DATA.test(rest);
    if (!isFrame) {
      noteBody(rest, notes);
      return [];
    }
    try {
      return [...read(rest === '' ? ':' : rest, { rawArguments: notes.rawArguments }), ...fragments.flush()];
    } catch {
      return fragments.flush();
    }
  }
}

/** A failure of the connection is written down. */
async function* noting(
  body: AsyncIterable<Uint8Array> | Iterable<Uint8Array>,
  notes: StreamNotes,
): AsyncGenerator<Uint8Array> {
  try {
    yield* body;
  } catch (error) {
    notes.broken = error;
    throw error;
  }
}

/** Some servers answer with a single object: an error, or the whole answer at once, which we did not ask for. */
function noteBody(body: string, notes: StreamNotes): void {
  try {
    note(JSON.parse(body), notes);
  } catch {
    // Not even that.
  }
  if (!notes.streamError) notes.malformed ??= NO_STREAM;
}

function malformed(reason: string, notes: StreamNotes): Error {
  notes.malformed = reason;
  return new Error(reason);
}

interface FinishedItem {
  type?: string;
  id?: string;
  call_id?: string;
  arguments?: unknown;
}

function note(value: unknown, notes: StreamNotes): void {
  if (typeof value !== 'object' || value === null) return;
  const event = value as Record<string, unknown>;
  if (event.type === 'response.output_item.done') {
    const item = event.item as FinishedItem | undefined;
    if (item?.type === 'function_call' && typeof item.arguments === 'string') {
      notes.rawArguments.set(`${item.call_id}|${item.id}`, item.arguments);
    }
  } else if (event.type === 'response.failed') {
    notes.streamError ??= errorIn((event.response as object | undefined) ?? {});
  } else if (event.type === 'error' || (event.error !== undefined && event.error !== null)) {
    notes.streamError ??= errorIn(event);
  }
}
