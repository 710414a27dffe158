import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import type { Base } from './base.ts';
import { openPastConversations } from './past-conversations.ts';

beforeEach(() => void vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'hrtime'] }));
afterEach(() => void vi.useRealTimers());

function open() {
  const historyIndex = vi.fn(() => new Promise<never>(() => {}));
  const storage = { historyIndex, transcripts: {}, locks: {} };
  const base = { storage, now: Date.now, newId: String, systemTimezone: () => 'UTC' } as unknown as Base;
  return { past: openPastConversations(base), historyIndex };
}

async function pass(milliseconds: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(milliseconds);
}

test('what was said is indexed some seconds after the turn', async () => {
  const { past, historyIndex } = open();
  past.wakePastConversations();
  await pass(2_900);
  expect(historyIndex).not.toHaveBeenCalled();
  await pass(200);
  await eventually(() => expect(historyIndex).toHaveBeenCalledTimes(1));
});

test('turns that follow each other put it off, for a minute at most', async () => {
  const { past, historyIndex } = open();
  for (let second = 0; second < 58; second += 1) {
    past.wakePastConversations();
    await pass(1_000);
  }
  expect(historyIndex).not.toHaveBeenCalled();
  for (let second = 0; second < 6; second += 1) {
    past.wakePastConversations();
    await pass(1_000);
  }
  await eventually(() => expect(historyIndex).toHaveBeenCalledTimes(1));
});

test('nothing is indexed once it is closed', async () => {
  const { past, historyIndex } = open();
  past.wakePastConversations();
  await past.close();
  past.wakePastConversations();
  await pass(10_000);
  expect(historyIndex).not.toHaveBeenCalled();
});
