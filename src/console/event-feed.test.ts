import { EventEmitter } from 'node:events';
import type { ServerResponse } from 'node:http';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createEventFeed, type EventFeed, type FeedReader } from './event-feed.ts';

/** A connection that can be full: what it was given, and what has left. */
class Connection extends EventEmitter {
  readonly taken: string[] = [];
  waiting: string[] = [];
  isSlow = false;
  isGone = false;

  write(text: string): void {
    (this.isSlow ? this.waiting : this.taken).push(text);
  }
  get writableLength(): number {
    return this.waiting.join('').length;
  }
  empty(): void {
    this.taken.push(...this.waiting);
    this.waiting = [];
    this.emit('drain');
  }
  end(): void {
    this.destroy();
  }
  destroy(): void {
    if (this.isGone) return;
    this.isGone = true;
    this.emit('close');
  }
  messages(): { id?: number; data: { type: string; n?: number; text?: string } }[] {
    return this.taken
      .join('')
      .split('\n\n')
      .filter((message) => message.includes('data: '))
      .map((message) => ({
        ...(/^id: (\d+)$/m.test(message) && { id: Number(/^id: (\d+)$/m.exec(message)?.[1]) }),
        data: JSON.parse(/^data: (.*)$/m.exec(message)?.[1] ?? ''),
      }));
  }
}

const everything = (): boolean => true;
const signedInIds = async (): Promise<ReadonlySet<string>> => new Set(['anna']);

function attach(feed: EventFeed, after?: number, sees: FeedReader['sees'] = everything): Connection {
  const connection = new Connection();
  feed.attach(connection as unknown as ServerResponse, { after, sees });
  return connection;
}

/** Whose events are written at once. */
function open(maxBytes?: number): EventFeed {
  const feed = createEventFeed({ now: () => 1_000, signedInIds, onRecording() {}, maxBytes });
  return {
    ...feed,
    get lastNumber() {
      return feed.lastNumber;
    },
    publish(...given) {
      feed.publish(...given);
      vi.advanceTimersByTime(0);
    },
  };
}
const textsOf = (connection: Connection): (string | undefined)[] =>
  connection.messages().flatMap(({ data }) => (data.type === 'text' ? [data.text] : []));

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe('a reader', () => {
  it('gets each event once and in order, however often it leaves, comes back and is slow', () => {
    const step = fc.oneof(
      { weight: 5, arbitrary: fc.constant('publish' as const) },
      { weight: 2, arbitrary: fc.constant('reconnect' as const) },
      { weight: 1, arbitrary: fc.constantFrom('slow' as const, 'empty' as const) },
    );
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), fc.integer({ min: 1, max: 200_000 }), (steps, size) => {
        const feed = open(Number.POSITIVE_INFINITY);
        let connection = attach(feed);
        let last = connection.messages()[0]?.data.n ?? 0;
        const seen: string[] = [];
        let published = 0;
        const collect = (): void => {
          for (const { id, data } of connection.messages()) {
            if (data.type !== 'text' || id === undefined || id <= last) continue;
            last = id;
            seen.push(data.text?.slice(0, 12) ?? '');
          }
        };
        for (const each of [...steps, 'reconnect' as const]) {
          if (each === 'publish') {
            published += 1;
            feed.publish(undefined, { type: 'text', text: `${published}`.padEnd(12) + 'x'.repeat(size) });
          } else if (each === 'slow') connection.isSlow = true;
          else if (each === 'empty') {
            connection.isSlow = false;
            connection.empty();
          } else {
            // What was still waiting in the connection is lost with it.
            collect();
            connection.destroy();
            connection = attach(feed, last);
          }
        }
        collect();
        expect(seen.map(Number)).toEqual(Array.from({ length: published }, (_, index) => index + 1));
        feed.close();
      }),
      { numRuns: 60 },
    );
  });

  it('that is away for longer than the log is kept must load its state again', async () => {
    const feed = open();
    const first = attach(feed);
    const last = first.messages()[0]?.data.n ?? 0;
    first.destroy();
    await vi.advanceTimersByTimeAsync(6 * 60_000);
    feed.publish(undefined, { type: 'text', text: 'missed' });
    const back = attach(feed, last);
    expect(back.messages()).toMatchObject([{ data: { type: 'reset' } }]);
    feed.publish(undefined, { type: 'text', text: 'next' });
    expect(textsOf(back)).toEqual(['next']);
    feed.close();
  });

  it('with a number of an earlier or a later process must load its state again', () => {
    const feed = open();
    for (const after of [5, 999_999_999_999])
      expect(attach(feed, after).messages()).toMatchObject([{ data: { type: 'reset' } }]);
    feed.close();
  });

  it('that lacks events which were dropped learns so', () => {
    const feed = open(10_000);
    const last = attach(feed).messages()[0]?.data.n ?? 0;
    for (let index = 0; index < 50; index += 1) feed.publish(undefined, { type: 'text', text: 'x'.repeat(500) });
    expect(attach(feed, last).messages()[0]?.data.type).toBe('reset');
    expect(
      attach(feed, feed.lastNumber - 2)
        .messages()
        .map(({ data }) => data.type),
    ).toEqual(['resumed', 'text', 'text']);
    feed.close();
  });

  it('that does not read is left alone, takes little memory, and is dropped once the log has moved on', () => {
    const feed = open(1_000_000);
    const stuck = attach(feed);
    stuck.isSlow = true;
    for (let index = 0; index < 5_000; index += 1) feed.publish(undefined, { type: 'text', text: 'x'.repeat(1_000) });
    expect(stuck.writableLength).toBeLessThan(300_000);
    stuck.isSlow = false;
    stuck.empty();
    expect(stuck.isGone).toBe(true);
    feed.close();
  });

  it('sees only what is for it, under the same numbers', () => {
    const feed = open();
    const anna = attach(feed, undefined, (audience) => audience === 'anna');
    const owner = attach(feed);
    feed.publish('anna', { type: 'text', text: 'for Anna' });
    feed.publish('bo', { type: 'text', text: 'for Bo' });
    feed.publish(undefined, { type: 'text', text: 'for the owner' });
    feed.publish('anna', { type: 'text', text: 'again' });
    expect(textsOf(anna)).toEqual(['for Anna', 'again']);
    expect(textsOf(owner)).toEqual(['for Anna', 'for Bo', 'for the owner', 'again']);
    feed.close();
  });
});

it('writes what is published in one moment at once', () => {
  const feed = createEventFeed({ now: () => 1_000, signedInIds, onRecording() {} });
  const connection = attach(feed);
  for (const text of ['one', 'two', 'three']) feed.publish(undefined, { type: 'text', text });
  vi.advanceTimersByTime(0);
  expect([connection.taken.length, textsOf(connection)]).toEqual([2, ['one', 'two', 'three']]);
  feed.close();
});

it('records nothing before the first reader', () => {
  const recording: boolean[] = [];
  const feed = createEventFeed({ now: () => 1_000, signedInIds, onRecording: (is) => recording.push(is) });
  feed.publish(undefined, { type: 'text', text: 'nobody is there' });
  const connection = attach(feed);
  expect([recording, textsOf(connection)]).toEqual([[true], []]);
  feed.close();
});

it('a sign-in that is over ends its stream: at once when that is said, otherwise with the heartbeat', async () => {
  const feed = open();
  const [anna, bo, program] = ['anna', 'bo', undefined].map((sessionId) => {
    const connection = new Connection();
    feed.attach(connection as unknown as ServerResponse, { after: undefined, sees: everything, sessionId });
    return connection;
  });
  await vi.advanceTimersByTimeAsync(25_000);
  expect([anna, bo, program].map((each) => each?.isGone)).toEqual([false, true, false]);
  feed.keepOnly(new Set());
  feed.publish(undefined, { type: 'text', text: 'later' });
  expect([anna, bo, program].map((each) => each?.isGone)).toEqual([true, true, false]);
  expect([anna, bo, program].map((each) => each && textsOf(each))).toEqual([[], [], ['later']]);
  feed.close();
});

it('all sign-ins end their streams when nobody can tell who is signed in', async () => {
  const feed = createEventFeed({
    now: () => 1_000,
    onRecording() {},
    signedInIds: () => Promise.reject(new Error('damaged')),
  });
  const connection = new Connection();
  feed.attach(connection as unknown as ServerResponse, { after: undefined, sees: everything, sessionId: 'anna' });
  await vi.advanceTimersByTimeAsync(25_000);
  expect(connection.isGone).toBe(true);
  feed.close();
});

it('a sign-in with too many streams keeps the newest; others keep theirs', () => {
  const feed = open();
  const attachAs = (sessionId: string | undefined): Connection => {
    const connection = new Connection();
    feed.attach(connection as unknown as ServerResponse, { after: undefined, sees: everything, sessionId });
    return connection;
  };
  const [bo, program] = [attachAs('bo'), attachAs(undefined)];
  const many = Array.from({ length: 70 }, () => attachAs('anna'));
  expect(many.filter(({ isGone }) => !isGone)).toEqual(many.slice(-64));
  expect([bo.isGone, program.isGone]).toEqual([false, false]);
  feed.close();
});
