// Reads the gateway's one stream of events. Whenever the connection ends, a new one asks for what followed the last number, so
// that nothing is lost or repeated; the gateway says `reset` when it no longer has that. An EventSource cannot send a header, so
// the stream is read with fetch.

export interface StreamEvent extends Record<string, unknown> {
  type: string;
}

export type StreamMessage =
  | { kind: 'event'; event: StreamEvent }
  | { kind: 'connection'; isOpen: boolean }
  /** The gateway refuses this browser: nothing more comes. */
  | { kind: 'signed-out' };

export interface EventReader {
  close(): void;
}

export interface EventReaderOptions {
  address: URL;
  /** Asked for each connection: somebody may have signed in again. */
  headers(): Record<string, string>;
  fetch?: typeof globalThis.fetch;
  onMessage(message: StreamMessage): void;
}

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 10_000;

export function openEventReader({
  address,
  headers,
  fetch = (...request) => globalThis.fetch(...request),
  onMessage,
}: EventReaderOptions): EventReader {
  let last: string | undefined;
  let waitMs = FIRST_WAIT_MS;
  let timer: ReturnType<typeof setTimeout> | undefined;
  const closing = new AbortController();
  const { signal } = closing;

  /** Reads one connection to its end; returns the status of its answer. */
  async function read(): Promise<number> {
    const asked = new URL(address);
    if (last !== undefined) asked.searchParams.set('after', last);
    const { ok, status, body } = await fetch(asked.href, { headers: headers(), signal, cache: 'no-store' });
    if (!ok || !body) return status;
    waitMs = FIRST_WAIT_MS;
    onMessage({ kind: 'connection', isOpen: true });
    for await (const { id, data } of messagesIn(body)) {
      if (id !== undefined) last = id;
      onMessage({ kind: 'event', event: JSON.parse(data) as StreamEvent });
    }
    return status;
  }

  async function connect(): Promise<void> {
    const status = await read().catch(() => undefined);
    if (signal.aborted) return;
    onMessage({ kind: 'connection', isOpen: false });
    if (status === 401) return onMessage({ kind: 'signed-out' });
    timer = setTimeout(() => void connect(), waitMs);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }

  void connect();
  return {
    close() {
      clearTimeout(timer);
      closing.abort();
    },
  };
}

/** Server-sent events as the gateway writes them: one line of data each, comments in between. */
async function* messagesIn(body: ReadableStream<Uint8Array>): AsyncGenerator<{ id?: string; data: string }> {
  const reader = body.pipeThrough(new TextDecoderStream() as never).getReader() as ReadableStreamDefaultReader<string>;
  let text = '';
  for (let step = await reader.read(); !step.done; step = await reader.read()) {
    text += step.value;
    const messages = text.split('\n\n');
    text = messages.pop() ?? '';
    for (const message of messages) {
      const [, data] = /^data: ?(.*)$/m.exec(message) ?? [];
      const [, id] = /^id: ?(.*)$/m.exec(message) ?? [];
      if (data !== undefined) yield { data, ...(id !== undefined && { id }) };
    }
  }
}
