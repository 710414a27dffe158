import { expect, it, vi } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import type { Channel } from '../../channels/channel.ts';
import { createProgress } from './progress.ts';

it('a text that the channel cannot cut is not shown, and ends nothing', async () => {
  const split = vi.fn((): string[] => {
    throw new TypeError('cannot read this');
  });
  const unhandled: unknown[] = [];
  const note = (error: unknown): void => void unhandled.push(error);
  process.on('unhandledRejection', note);
  try {
    const progress = createProgress({
      channel: { split, showWorking: async () => {} } as unknown as Channel,
      chat: { chatId: 'anna' },
      key: 'turn-1',
      afterMs: 1,
      everyMs: 1,
      signal: new AbortController().signal,
      isNext: async () => true,
      onPlace() {},
    });
    await eventually(() => expect(split.mock.calls.length).toBeGreaterThan(1));
    expect(await progress.end()).toBeUndefined();
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(unhandled).toEqual([]);
});

it('shows the newest checklist above the calls', async () => {
  const sent: string[] = [];
  const place = { chatId: 'anna', messageId: '1' };
  const progress = createProgress({
    channel: {
      split: (markdown: string) => [markdown],
      showWorking: async () => {},
      send: async ({ markdown }: { markdown: string }) => {
        sent.push(markdown);
        return place;
      },
      edit: async (_: unknown, { markdown }: { markdown: string }) => void sent.push(markdown),
    } as unknown as Channel,
    chat: { chatId: 'anna' },
    key: 'turn-1',
    afterMs: 1,
    everyMs: 1,
    signal: new AbortController().signal,
    isNext: async () => true,
    onPlace() {},
  });
  const todo = (id: string, status: string): void => {
    const call = { id, name: 'todo', args: {}, source: 'model' };
    progress.tell({ type: 'tool-start', call });
    const data = { checklist: [{ text: 'look', status }] };
    progress.tell({ type: 'tool-end', call, result: { ok: true, data, meta: { durationMs: 1 } } });
  };
  todo('a', 'pending');
  progress.tell({ type: 'tool-start', call: { id: 'b', name: 'bash', args: { command: 'ls' }, source: 'model' } });
  await eventually(() => expect(sent.at(-1)).toBe('☐ look\n\n⏳ bash `ls`'));
  todo('c', 'completed');
  await eventually(() => expect(sent.at(-1)).toBe('☑ look\n\n⏳ bash `ls`'));
  expect(await progress.end()).toEqual(place);
});

it('a turn ends without waiting for a storage that does not say whether its progress may be shown', async () => {
  const asked = Promise.withResolvers<void>();
  const progress = createProgress({
    channel: { split: (markdown: string) => [markdown], showWorking: async () => {} } as unknown as Channel,
    chat: { chatId: 'anna' },
    key: 'turn-1',
    afterMs: 1,
    everyMs: 1,
    signal: new AbortController().signal,
    isNext() {
      asked.resolve();
      return new Promise(() => {});
    },
    onPlace() {},
  });
  await asked.promise;
  expect(await progress.end()).toBeUndefined();
});
