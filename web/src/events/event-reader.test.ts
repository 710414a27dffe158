import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { openEventReader, type StreamMessage } from './event-reader.ts';

/** The gateway's side: what was asked for, and a stream for each answer. */
function gateway() {
  const asked: { address: string; headers: unknown }[] = [];
  const streams: ReadableStreamDefaultController<Uint8Array>[] = [];
  const answers = { status: 200 };
  const fetch = (async (address: string, { headers }: RequestInit) => {
    asked.push({ address, headers });
    if (answers.status !== 200) return new Response('{}', { status: answers.status });
    return new Response(new ReadableStream({ start: (controller) => void streams.push(controller) }));
  }) as unknown as typeof globalThis.fetch;
  return {
    asked,
    answers,
    fetch,
    async send(text: string) {
      streams.at(-1)?.enqueue(new TextEncoder().encode(text));
      await settled();
    },
    async end() {
      streams.at(-1)?.close();
      await settled();
    },
  };
}

const settled = (): Promise<unknown> => vi.advanceTimersByTimeAsync(0);

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a lost connection is made again, with what the page has, and asks for what followed the last number', async () => {
  const { fetch, asked, send, end } = gateway();
  const messages: StreamMessage[] = [];
  let page = 'first';
  const reader = openEventReader({
    address: new URL('http://localhost/base/api/events'),
    headers: () => ({ page }),
    fetch,
    onMessage: (message) => messages.push(message),
  });
  await settled();
  await send('retry: 1000\nid: 41\ndata: {"type":"hel');
  await send('lo"}\n\n:\n\nid: 42\ndata: {"type":"notice"}\n\ndata: {"type":"cut off');
  page = 'second';
  await end();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(asked).toEqual([
    { address: 'http://localhost/base/api/events', headers: { page: 'first' } },
    { address: 'http://localhost/base/api/events?after=42', headers: { page: 'second' } },
  ]);
  reader.close();
  await end();
  await vi.runAllTimersAsync();
  expect(asked).toHaveLength(2);
  expect(
    messages.map((message) => ('event' in message ? message.event.type : 'isOpen' in message && message.isOpen)),
  ).toEqual([true, 'hello', 'notice', false, true]);
});

it('a stream that the gateway refuses is not asked for again: the page learns that it is signed out', async () => {
  const { fetch, asked, answers } = gateway();
  answers.status = 401;
  const messages: StreamMessage[] = [];
  openEventReader({
    address: new URL('http://localhost/api/events?person=anna'),
    headers: () => ({}),
    fetch,
    onMessage: (message) => messages.push(message),
  });
  await vi.runAllTimersAsync();
  expect(asked).toHaveLength(1);
  expect(messages).toEqual([{ kind: 'connection', isOpen: false }, { kind: 'signed-out' }]);
});

it('a gateway that does not answer is asked again, at most every ten seconds', async () => {
  const { fetch, asked, answers } = gateway();
  answers.status = 503;
  const reader = openEventReader({ address: new URL('http://localhost/'), headers: () => ({}), fetch, onMessage() {} });
  await vi.advanceTimersByTimeAsync(60_000);
  reader.close();
  expect([asked.length > 7, asked.length < 13]).toEqual([true, true]);
});
