// The one stream of events that a browser reads: everything that happens, numbered, kept for a while. A reader names the last number
// that it has and gets what followed, each event once. Numbers begin with the time of the start, so those of an earlier process are
// smaller; when the feed no longer has what a reader lacks, it says `reset`, and the reader loads its state again.
//
// Publishing never waits. A reader whose connection is full is not written to until it has emptied; then it continues from the
// log. Nothing is recorded before the first reader and some minutes after the last one.
import type { ServerResponse } from 'node:http';

/** Undefined: the owner alone. Otherwise the person, and the owner. */
export type Audience = string | undefined;

export interface FeedReader {
  /** The last number that it has; undefined: it begins now. */
  after: number | undefined;
  sees(audience: Audience): boolean;
  /** The sign-in that it reads with; undefined: a program with the token of this start. */
  sessionId?: string;
}

export interface EventFeed {
  readonly lastNumber: number;
  publish(audience: Audience, event: { type: string } & Record<string, unknown>): void;
  /** Writes events to a response whose head was sent, until it is closed. */
  attach(response: ServerResponse, reader: FeedReader): void;
  /** Ends at once the readers whose sign-in is not one of these. */
  keepOnly(signedIn: ReadonlySet<string>): void;
  /** Ends all readers. */
  close(): void;
}

export interface EventFeedOptions {
  now(): number;
  onRecording(isRecording: boolean): void;
  /** Asked with each heartbeat: a sign-in expires, and another process revokes one, without a word to this one. */
  signedInIds(): Promise<ReadonlySet<string>>;
  maxBytes?: number;
  keepMs?: number;
}

interface Entry {
  number: number;
  audience: Audience;
  frame: string;
}

interface Attached {
  response: ServerResponse;
  sees: FeedReader['sees'];
  sessionId: string | undefined;
  /** The last number that was looked at for it. */
  position: number;
  isFull: boolean;
}

const MAX_BYTES = 8 * 1024 * 1024;
const KEEP_MS = 5 * 60_000;
/** What waits in one connection; then it is left alone until it has emptied. */
const MAX_WAITING = 256 * 1024;
const LARGEST_WRITE = 64 * 1024;
/** Of one sign-in. A browser needs one, and without a shared worker one for each tab. */
const MOST_STREAMS = 64;
const HEARTBEAT_MS = 25_000;
const HEARTBEAT = ':\n\n';
/** Of an entry beside its text. */
const ENTRY_BYTES = 80;

export function createEventFeed({
  now,
  onRecording,
  signedInIds,
  maxBytes = MAX_BYTES,
  keepMs = KEEP_MS,
}: EventFeedOptions): EventFeed {
  let entries: Entry[] = [];
  let bytes = 0;
  let lastNumber = now() * 1_000;
  /** What came before is not kept. */
  let firstKept = lastNumber + 1;
  let isRecording = false;
  const readers = new Set<Attached>();
  let forgetting: NodeJS.Timeout | undefined;
  let beating: NodeJS.Timeout | undefined;
  let flushing: NodeJS.Immediate | undefined;

  function publish(audience: Audience, event: { type: string } & Record<string, unknown>): void {
    if (!isRecording) return;
    lastNumber += 1;
    const frame = `id: ${lastNumber}\ndata: ${JSON.stringify(event)}\n\n`;
    entries.push({ number: lastNumber, audience, frame });
    bytes += frame.length + ENTRY_BYTES;
    if (bytes > maxBytes) dropOldest();
    flushing ??= setImmediate(flush);
  }

  /** What was published in one moment is one write for each reader. */
  function flush(): void {
    flushing = undefined;
    for (const reader of readers) if (!reader.isFull) advance(reader);
  }

  /** Somewhat more than necessary, so that it does not happen with each event. */
  function dropOldest(): void {
    let dropped = 0;
    while (bytes > maxBytes * 0.75 && dropped < entries.length - 1) {
      bytes -= (entries[dropped]?.frame.length ?? 0) + ENTRY_BYTES;
      dropped += 1;
    }
    entries = entries.slice(dropped);
    firstKept = entries[0]?.number ?? lastNumber + 1;
  }

  /** Writes what a reader has not seen, until its connection is full. */
  function advance(reader: Attached): void {
    if (!readers.has(reader)) return;
    if (reader.position + 1 < firstKept) {
      // It was slower than the log is long: it comes back, and the answer says that it must load its state again.
      reader.response.destroy();
      return;
    }
    while (reader.position < lastNumber && !reader.isFull) {
      let frames = '';
      while (reader.position < lastNumber && frames.length < LARGEST_WRITE) {
        const entry = entries[reader.position + 1 - firstKept];
        if (!entry) return;
        reader.position = entry.number;
        if (reader.sees(entry.audience)) frames += entry.frame;
      }
      if (frames === '') continue;
      reader.response.write(frames);
      reader.isFull = reader.response.writableLength > MAX_WAITING;
    }
  }

  function attach(response: ServerResponse, { after, sees, sessionId }: FeedReader): void {
    startRecording();
    if (sessionId !== undefined) makeRoom(sessionId);
    const isKnown = after !== undefined && after + 1 >= firstKept && after <= lastNumber;
    const type = after === undefined ? 'hello' : isKnown ? 'resumed' : 'reset';
    const position = isKnown ? after : lastNumber;
    const reader: Attached = { response, sees, sessionId, position, isFull: false };
    // A reader that resumes keeps its own number until it gets the next event.
    const id = isKnown ? '' : `id: ${lastNumber}\n`;
    response.write(`retry: 1000\n${id}data: ${JSON.stringify({ type, n: isKnown ? after : lastNumber })}\n\n`);
    readers.add(reader);
    response.on('drain', () => {
      reader.isFull = false;
      advance(reader);
    });
    response.on('close', () => leave(reader));
    advance(reader);
  }

  /** The oldest stream of a sign-in that has too many ends: one person must not take the memory of all. */
  function makeRoom(sessionId: string): void {
    const [oldest, ...others] = [...readers].filter((reader) => reader.sessionId === sessionId);
    if (!oldest || others.length + 1 < MOST_STREAMS) return;
    leave(oldest);
    oldest.response.destroy();
  }

  function startRecording(): void {
    clearTimeout(forgetting);
    forgetting = undefined;
    beating ??= setInterval(() => void beat(), HEARTBEAT_MS).unref();
    if (isRecording) return;
    isRecording = true;
    onRecording(true);
  }

  async function beat(): Promise<void> {
    // When it cannot be read who is signed in, nobody is: their next request says why.
    keepOnly(await signedInIds().catch(() => new Set<string>()));
    for (const { response, isFull } of readers) if (!isFull) response.write(HEARTBEAT);
  }

  function keepOnly(signedIn: ReadonlySet<string>): void {
    for (const reader of readers) {
      if (reader.sessionId === undefined || signedIn.has(reader.sessionId)) continue;
      // It gets nothing more from this moment on, not even what waits in its connection.
      leave(reader);
      reader.response.destroy();
    }
  }

  function leave(reader: Attached): void {
    if (!readers.delete(reader) || readers.size > 0) return;
    clearInterval(beating);
    beating = undefined;
    // The browser may only be loading the page again.
    forgetting = setTimeout(stopRecording, keepMs).unref();
  }

  function stopRecording(): void {
    isRecording = false;
    entries = [];
    bytes = 0;
    // A number is left out: who had the last one may have missed something.
    lastNumber += 1;
    firstKept = lastNumber + 1;
    onRecording(false);
  }

  return {
    get lastNumber() {
      return lastNumber;
    },
    publish,
    attach,
    keepOnly,
    close() {
      if (flushing) {
        clearImmediate(flushing);
        flush();
      }
      clearTimeout(forgetting);
      clearInterval(beating);
      for (const { response } of readers) response.end();
      readers.clear();
    },
  };
}
