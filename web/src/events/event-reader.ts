// Reads the gateway's one stream of events. Whenever the connection ends, a new one asks for what followed the last number, so
// that nothing is lost or repeated; the gateway says `reset` when it no longer has that. An EventSource that got one error
// answer stays closed for ever, so a new one is made each time.

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
  open?(address: string): EventSource;
  /** The status of the answer at this address; an EventSource does not tell it. Rejects when there is none. */
  statusOf?(address: string): Promise<number>;
  onMessage(message: StreamMessage): void;
}

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 10_000;

export function openEventReader({
  address,
  open = (text) => new EventSource(text),
  statusOf = fetchStatus,
  onMessage,
}: EventReaderOptions): EventReader {
  let last: string | undefined;
  let waitMs = FIRST_WAIT_MS;
  let source: EventSource | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isClosed = false;

  function connect(): void {
    const asked = new URL(address);
    if (last !== undefined) asked.searchParams.set('after', last);
    const opened = open(asked.href);
    source = opened;
    opened.onopen = () => {
      waitMs = FIRST_WAIT_MS;
      onMessage({ kind: 'connection', isOpen: true });
    };
    opened.onmessage = ({ data, lastEventId }: MessageEvent<string>) => {
      if (lastEventId !== '') last = lastEventId;
      onMessage({ kind: 'event', event: JSON.parse(data) as StreamEvent });
    };
    opened.onerror = () => {
      opened.close();
      if (isClosed) return;
      onMessage({ kind: 'connection', isOpen: false });
      void refusedOrAgain(asked.href);
    };
  }

  async function refusedOrAgain(asked: string): Promise<void> {
    const status = await statusOf(asked).catch(() => undefined);
    if (isClosed) return;
    if (status === 401) return onMessage({ kind: 'signed-out' });
    timer = setTimeout(connect, waitMs);
    waitMs = Math.min(waitMs * 2, LONGEST_WAIT_MS);
  }

  connect();
  return {
    close() {
      isClosed = true;
      clearTimeout(timer);
      source?.close();
    },
  };
}

async function fetchStatus(address: string): Promise<number> {
  const enough = new AbortController();
  const { status } = await fetch(address, {
    signal: AbortSignal.any([enough.signal, AbortSignal.timeout(LONGEST_WAIT_MS)]),
  });
  // The stream itself is read by the next EventSource.
  enough.abort();
  return status;
}
