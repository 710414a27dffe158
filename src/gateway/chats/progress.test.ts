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
      onPlace() {},
    });
    await eventually(() => expect(split.mock.calls.length).toBeGreaterThan(1));
    expect(await progress.end()).toBeUndefined();
  } finally {
    process.off('unhandledRejection', note);
  }
  expect(unhandled).toEqual([]);
});
