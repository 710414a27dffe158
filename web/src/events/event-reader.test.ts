import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openEventReader, type StreamMessage } from './event-reader.ts';

/** The browser's side of a stream: what was opened, and what it is told. */
class FakeSource {
  onopen = (): void => {};
  onmessage = (_event: { data: string; lastEventId: string }): void => {};
  onerror = (): void => {};
  isClosed = false;
  readonly address: string;
  constructor(address: string) {
    this.address = address;
  }
  close(): void {
    this.isClosed = true;
  }
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a lost connection is made again and asks for what followed the last number', async () => {
  const sources: FakeSource[] = [];
  const messages: StreamMessage[] = [];
  const reader = openEventReader({
    address: new URL('http://localhost/base/api/events'),
    open(address) {
      const source = new FakeSource(address);
      sources.push(source);
      return source as unknown as EventSource;
    },
    statusOf: async () => 503,
    onMessage: (message) => messages.push(message),
  });
  sources[0]?.onopen();
  sources[0]?.onmessage({ data: '{"type":"hello"}', lastEventId: '41' });
  sources[0]?.onmessage({ data: '{"type":"notice"}', lastEventId: '42' });
  sources[0]?.onerror();
  expect(sources[0]?.isClosed).toBe(true);
  await vi.runAllTimersAsync();
  expect(sources.map(({ address }) => address)).toEqual([
    'http://localhost/base/api/events',
    'http://localhost/base/api/events?after=42',
  ]);
  reader.close();
  sources[1]?.onerror();
  await vi.runAllTimersAsync();
  expect(sources).toHaveLength(2);
  expect(
    messages.map((message) => ('event' in message ? message.event.type : 'isOpen' in message && message.isOpen)),
  ).toEqual([true, 'hello', 'notice', false]);
});

it('a stream that the gateway refuses is not asked for again: the page learns that it is signed out', async () => {
  const sources: FakeSource[] = [];
  const messages: StreamMessage[] = [];
  openEventReader({
    address: new URL('http://localhost/api/events?person=anna'),
    open(address) {
      const source = new FakeSource(address);
      sources.push(source);
      return source as unknown as EventSource;
    },
    statusOf: async (address) => (address === 'http://localhost/api/events?person=anna' ? 401 : 200),
    onMessage: (message) => messages.push(message),
  });
  sources[0]?.onerror();
  await vi.runAllTimersAsync();
  expect(sources).toHaveLength(1);
  expect(messages).toEqual([{ kind: 'connection', isOpen: false }, { kind: 'signed-out' }]);
});
