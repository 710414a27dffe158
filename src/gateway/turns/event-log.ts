// The numbered events of one turn: 1, 2, 3, … Publishing never waits. Any number of readers read from any number on, each at
// its own pace. Deltas that follow each other are stored together: a reader that is behind gets them joined into one event
// that names the numbers it covers, and a reader that asks from the middle of them gets the rest. When the log is over its
// limit, the oldest events are dropped; a reader that still wanted them gets a gap that names their numbers.
import type { RunEvent } from '../../pipeline/events.ts';
import { sizeInMemory } from './size-in-memory.ts';

/** Covers the numbers `first` to `number`; more than one only for joined deltas and for gaps. */
export type TurnItem = { first: number; number: number } & (
  | { kind: 'event'; event: RunEvent }
  /** These events are no longer kept. */
  | { kind: 'gap' }
);

export interface ReadOptions {
  /** The last number that the reader has; 0 for everything. */
  after?: number;
  /** Ends the reading, without an error. */
  signal?: AbortSignal;
}

/** Events as they were published: one, or deltas that follow each other and differ in their text alone. */
export interface Stretch {
  /** The number of the first. */
  first: number;
  event: RunEvent;
  /** The texts of several deltas; each has a number of its own. */
  pieces?: string[];
}

export interface EventLog {
  /** Everything that is kept after this number, for a copy that has the same numbers. */
  stretches(after: number): Stretch[];
  publish(event: RunEvent): void;
  /** No more events. With `failure`, every reader gets it thrown after the last event. */
  close(failure?: { error: unknown }): void;
  /** Ends with the last event of a closed log. */
  read(options?: ReadOptions): AsyncGenerator<TurnItem, void>;
  /** Drops every event: readers get a gap and the end. */
  release(): void;
  readonly lastNumber: number;
  /** Estimated. */
  readonly bytes: number;
}

type Segment = { first: number; bytes: number } & (
  | { kind: 'event'; event: RunEvent }
  | { kind: 'deltas'; like: DeltaEvent; pieces: string[] }
);

type DeltaEvent = Extract<RunEvent, { type: 'text-delta' | 'thinking-delta' | 'tool-output' }>;

/** A piece of a delta in a list: its text, and this. */
const PIECE_BYTES = 32;
/** Deltas stored together: few enough that dropping them drops little. */
const SEGMENT_BYTES = 65_536;

export function createEventLog({ maxBytes }: { maxBytes: number }): EventLog {
  let segments: Segment[] = [];
  let lastNumber = 0;
  let bytes = 0;
  let closed: { failure?: { error: unknown } } | undefined;
  const waiting = new Set<() => void>();

  function publish(event: RunEvent): void {
    if (closed) return;
    lastNumber += 1;
    const added = addToLast(event) ?? addSegment(event);
    bytes += added;
    if (bytes > maxBytes) dropOldest();
    wakeReaders();
  }

  /** Undefined when the event does not continue the deltas before it. */
  function addToLast(event: RunEvent): number | undefined {
    const last = segments.at(-1);
    if (last?.kind !== 'deltas' || last.bytes >= SEGMENT_BYTES || !isDelta(event) || !continues(last.like, event))
      return undefined;
    const size = PIECE_BYTES + event.text.length;
    last.pieces.push(event.text);
    last.bytes += size;
    return size;
  }

  function addSegment(event: RunEvent): number {
    const size = sizeInMemory(event);
    const place = { first: lastNumber, bytes: size };
    segments.push(
      isDelta(event)
        ? { ...place, kind: 'deltas', like: event, pieces: [event.text] }
        : { ...place, kind: 'event', event },
    );
    return size;
  }

  /** Somewhat more than necessary, so that it does not happen with each event. The newest segment stays. */
  function dropOldest(): void {
    let dropped = 0;
    while (bytes > maxBytes * 0.75 && dropped < segments.length - 1) {
      bytes -= segments[dropped]?.bytes ?? 0;
      dropped += 1;
    }
    segments = segments.slice(dropped);
  }

  function wakeReaders(): void {
    if (waiting.size === 0) return;
    const readers = [...waiting];
    waiting.clear();
    for (const wake of readers) wake();
  }

  /** Everything there is after this number; undefined when there is nothing. */
  function itemAfter(after: number): TurnItem | undefined {
    if (after >= lastNumber) return undefined;
    const first = after + 1;
    const firstKept = segments[0]?.first ?? lastNumber + 1;
    if (first < firstKept) return { kind: 'gap', first, number: firstKept - 1 };
    const segment = segmentWith(first);
    if (segment.kind === 'event') return { kind: 'event', first, number: first, event: segment.event };
    const pieces = segment.pieces.slice(first - segment.first);
    const event = { ...segment.like, text: pieces.length === 1 ? (pieces[0] ?? '') : pieces.join('') };
    return { kind: 'event', first, number: after + pieces.length, event };
  }

  function segmentWith(number: number): Segment {
    let low = 0;
    let high = segments.length - 1;
    while (low < high) {
      const middle = Math.ceil((low + high) / 2);
      if ((segments[middle]?.first ?? 0) <= number) low = middle;
      else high = middle - 1;
    }
    return segments[low] as Segment;
  }

  async function* read({ after = 0, signal }: ReadOptions = {}): AsyncGenerator<TurnItem, void> {
    let position = after;
    while (!signal?.aborted) {
      const item = itemAfter(position);
      if (item) {
        position = item.number;
        yield item;
      } else if (closed) {
        if (closed.failure) throw closed.failure.error;
        return;
      } else {
        await nextChange(signal);
      }
    }
  }

  function nextChange(signal: AbortSignal | undefined): Promise<void> {
    return new Promise((resolve) => {
      const wake = (): void => {
        signal?.removeEventListener('abort', onAbort);
        resolve();
      };
      const onAbort = (): void => {
        waiting.delete(wake);
        resolve();
      };
      waiting.add(wake);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  return {
    publish,
    stretches(after) {
      const begin = segments.findLastIndex(({ first }) => first <= after + 1);
      return segments.slice(Math.max(begin, 0)).flatMap((segment): Stretch[] => {
        const { first } = segment;
        if (segment.kind === 'event') return first > after ? [{ first, event: segment.event }] : [];
        const pieces = segment.pieces.slice(Math.max(0, after + 1 - first));
        return pieces.length > 0 ? [{ first: Math.max(first, after + 1), event: segment.like, pieces }] : [];
      });
    },
    close(failure) {
      closed ??= failure ? { failure } : {};
      wakeReaders();
    },
    read,
    release() {
      segments = [];
      bytes = 0;
    },
    get lastNumber() {
      return lastNumber;
    },
    get bytes() {
      return bytes;
    },
  };
}

function isDelta(event: RunEvent): event is DeltaEvent {
  return event.type === 'text-delta' || event.type === 'thinking-delta' || event.type === 'tool-output';
}

function continues(before: DeltaEvent, event: DeltaEvent): boolean {
  if (before.type !== event.type) return false;
  return before.type !== 'tool-output' || (event.type === 'tool-output' && before.call === event.call);
}
