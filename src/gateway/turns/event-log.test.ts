import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RunEvent } from '../../pipeline/events.ts';
import { createEventLog, type EventLog, type TurnItem } from './event-log.ts';

const call = (id: string) => ({ id, name: 'bash', args: {}, source: 'model' as const });
const CALLS = [call('a'), call('b')];

/** Deltas of every kind among events that break them up. */
const anyEvent: fc.Arbitrary<RunEvent> = fc.oneof(
  { weight: 4, arbitrary: fc.string().map((text): RunEvent => ({ type: 'text-delta', text })) },
  { weight: 2, arbitrary: fc.string().map((text): RunEvent => ({ type: 'thinking-delta', text })) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(fc.constantFrom(...CALLS), fc.string())
      .map(([each, text]): RunEvent => ({ type: 'tool-output', call: each, text })),
  },
  { weight: 2, arbitrary: fc.string().map((text): RunEvent => ({ type: 'notice', text })) },
);

async function readAll(log: EventLog, after = 0): Promise<TurnItem[]> {
  const items: TurnItem[] = [];
  for await (const item of log.read({ after })) items.push(item);
  return items;
}

/** What the items say must be what was published under the numbers that they name. */
function expectTruthful(items: readonly TurnItem[], published: readonly RunEvent[], after: number): void {
  let position = after;
  for (const item of items) {
    expect(item.first).toBe(position + 1);
    expect(item.number).toBeGreaterThanOrEqual(item.first);
    position = item.number;
    if (item.kind === 'gap') continue;
    const covered = published.slice(item.first - 1, item.number);
    const [first] = covered;
    if (covered.length === 1) expect(item.event).toEqual(first);
    else
      expect(item.event).toEqual({ ...first, text: covered.map((each) => (each as { text: string }).text).join('') });
    for (const each of covered) expect({ ...each, text: '' }).toEqual({ ...first, text: '' });
  }
  expect(position).toBe(published.length);
}

describe('the events of a turn', () => {
  it('are seen exactly once and in order by every reader, whenever it joins and however slow it is', async () => {
    const step = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.array(anyEvent, { maxLength: 4 }).map((events) => ({ kind: 'publish' as const, events })),
      },
      { weight: 1, arbitrary: fc.nat({ max: 100 }).map((percent) => ({ kind: 'join' as const, percent })) },
      { weight: 1, arbitrary: fc.nat({ max: 3 }).map((ticks) => ({ kind: 'wait' as const, ticks })) },
      { weight: 1, arbitrary: fc.nat().map((reader) => ({ kind: 'advance' as const, reader })) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
        const log = createEventLog({ maxBytes: Number.POSITIVE_INFINITY });
        const published: RunEvent[] = [];
        const readers: {
          after: number;
          items: TurnItem[];
          reading: AsyncGenerator<TurnItem>;
          pending?: Promise<void>;
        }[] = [];
        for (const each of steps) {
          if (each.kind === 'publish') {
            for (const event of each.events) {
              published.push(event);
              log.publish(event);
            }
          } else if (each.kind === 'join') {
            const after = Math.floor((published.length * each.percent) / 100);
            readers.push({ after, items: [], reading: log.read({ after }) });
          } else if (each.kind === 'wait') {
            for (let tick = 0; tick < each.ticks; tick += 1) await Promise.resolve();
          } else {
            const reader = readers[each.reader % (readers.length || 1)];
            if (reader && !reader.pending)
              reader.pending = reader.reading.next().then(({ value }) => {
                if (value) reader.items.push(value);
                reader.pending = undefined;
              });
          }
        }
        log.close();
        for (const reader of readers) {
          await reader.pending;
          for await (const item of reader.reading) reader.items.push(item);
          expectTruthful(reader.items, published, reader.after);
          expect(reader.items.every(({ kind }) => kind === 'event')).toBe(true);
        }
      }),
    );
  });

  it('stay within their limit: what is dropped is named, and the newest is always there', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(anyEvent, { minLength: 1, maxLength: 200 }),
        fc.integer({ min: 200, max: 4_000 }),
        fc.nat(),
        async (events, maxBytes, from) => {
          const log = createEventLog({ maxBytes });
          for (const event of events) {
            log.publish(event);
            expect(log.bytes).toBeLessThanOrEqual(maxBytes + 66_000);
          }
          log.close();
          const after = from % (events.length + 1);
          const items = await readAll(log, after);
          expectTruthful(items, events, after);
          expect(items.filter(({ kind }) => kind === 'gap').length).toBeLessThanOrEqual(1);
          if (after < events.length) expect(items.at(-1)?.kind).toBe('event');
        },
      ),
    );
  });

  it('a reader that keeps up gets each delta as it comes', async () => {
    const log = createEventLog({ maxBytes: 1_000 });
    const reading = log.read();
    for (const text of ['a', 'b', 'c']) {
      const next = reading.next();
      log.publish({ type: 'text-delta', text });
      expect((await next).value).toMatchObject({ event: { type: 'text-delta', text } });
    }
  });

  it('a reader that is behind gets adjacent deltas as one event that names its numbers', async () => {
    const log = createEventLog({ maxBytes: 10_000 });
    for (const text of ['a', 'b', 'c']) log.publish({ type: 'text-delta', text });
    log.close();
    expect(await readAll(log)).toEqual([
      { kind: 'event', first: 1, number: 3, event: { type: 'text-delta', text: 'abc' } },
    ]);
    expect(await readAll(log, 1)).toEqual([
      { kind: 'event', first: 2, number: 3, event: { type: 'text-delta', text: 'bc' } },
    ]);
  });

  it('output without end is dropped from its beginning', async () => {
    const log = createEventLog({ maxBytes: 200_000 });
    const text = 'x'.repeat(1_000);
    for (let index = 0; index < 2_000; index += 1)
      log.publish({ type: 'tool-output', call: CALLS[0] ?? call('a'), text });
    log.close();
    expect(log.bytes).toBeLessThanOrEqual(200_000);
    const [gap, ...rest] = await readAll(log);
    expect(gap).toMatchObject({ kind: 'gap', first: 1 });
    expect(rest.at(-1)?.number).toBe(2_000);
  });

  it('a reader that leaves is not waited for, and takes nothing with it', async () => {
    const log = createEventLog({ maxBytes: 1_000 });
    const leaving = new AbortController();
    const reading = log.read({ signal: leaving.signal });
    const next = reading.next();
    leaving.abort();
    expect(await next).toEqual({ done: true, value: undefined });
    log.publish({ type: 'notice', text: 'later' });
    log.close();
    expect(await readAll(log)).toHaveLength(1);
  });

  it('an error of the turn reaches every reader, after the last event', async () => {
    const log = createEventLog({ maxBytes: 1_000 });
    log.publish({ type: 'notice', text: 'before' });
    log.close({ error: new Error('a defect') });
    for (const reading of [log.read(), log.read()]) {
      expect((await reading.next()).value).toMatchObject({ number: 1 });
      await expect(reading.next()).rejects.toThrow('a defect');
    }
  });

  it('a reader that is still reading when the events are let go gets a gap and the end', async () => {
    const log = createEventLog({ maxBytes: 1_000 });
    for (const text of ['one', 'two', 'three']) log.publish({ type: 'notice', text });
    log.close();
    const reading = log.read();
    await reading.next();
    log.release();
    expect((await reading.next()).value).toEqual({ kind: 'gap', first: 2, number: 3 });
    expect((await reading.next()).done).toBe(true);
  });
});
