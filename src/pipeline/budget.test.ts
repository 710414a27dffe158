import { describe, expect, it } from 'vitest';
import { type Spending, StorageError } from '../storage/storage.ts';
import { hasRoom, priceIsUnknown, recordSpending, roomToday } from './budget.ts';

function spendingOf(days: Record<string, { tokens: number; costUsd: number }> = {}): Spending {
  const nothing = { tokens: 0, costUsd: 0 };
  return {
    on: async (day) => days[day] ?? nothing,
    async add(day, { tokens, costUsd }) {
      const before = days[day] ?? nothing;
      days[day] = { tokens: before.tokens + tokens, costUsd: before.costUsd + costUsd };
    },
  };
}

/** Shortly before midnight of the owner's own clock, wherever that is. */
const LATE = new Date(2026, 10, 5, 23, 59).getTime();

describe('what a run may spend', () => {
  it('is not limited when the day has no cap, and the day is not looked at', async () => {
    const unreadable: Spending = { add: async () => {}, on: () => Promise.reject(new Error('not needed')) };
    expect(await roomToday({ maxTokens: 5, maxCostUsd: 1 }, unreadable, LATE)).toEqual({
      tokensLeft: Number.POSITIVE_INFINITY,
      costLeftUsd: Number.POSITIVE_INFINITY,
    });
  });

  it('is also what the day has left', async () => {
    const spending = spendingOf({ '2026-11-05': { tokens: 900, costUsd: 0.25 } });
    const caps = { dailyMaxTokens: 1_000, dailyMaxCostUsd: 1 };
    expect(await roomToday(caps, spending, LATE)).toEqual({ tokensLeft: 100, costLeftUsd: 0.75 });
  });

  it.each([
    [{ dailyMaxTokens: 900 }, /cap of 900 tokens is used up \(900\).*"dailyMaxTokens"/],
    [{ dailyMaxCostUsd: 0.2 }, /cap of 0\.2 USD is used up \(0\.2500\).*"dailyMaxCostUsd"/],
  ])('is nothing once %o is used up', async (caps, sentence) => {
    const spending = spendingOf({ '2026-11-05': { tokens: 900, costUsd: 0.25 } });
    expect((await roomToday(caps, spending, LATE)).refused).toMatch(sentence);
    expect((await roomToday(caps, spending, LATE + 60_000)).refused).toBeUndefined();
  });

  it('is counted on the owner’s own day, input and output together', async () => {
    const days = {};
    const spending = spendingOf(days);
    await recordSpending({ inputTokens: 90, outputTokens: 10, costUsd: 0.5 }, spending, LATE);
    await recordSpending({ inputTokens: 1, outputTokens: 1 }, spending, LATE);
    await recordSpending(undefined, spending, LATE);
    expect(days).toEqual({ '2026-11-05': { tokens: 102, costUsd: 0.5 } });
  });

  it('that cannot be written down is reported, and the answer stays', async () => {
    const full: Spending = {
      ...spendingOf(),
      add: () => Promise.reject(new StorageError('STORAGE_FULL', 'the disk is full')),
    };
    expect(await recordSpending({ inputTokens: 1, outputTokens: 1 }, full, LATE)).toMatch(/not recorded.*disk is full/);
  });

  it.each([
    ['no cap', {}, 9_999, true],
    ['a cap of the run with room', { maxTokens: 300 }, 99, true],
    ['a cap of the run it would reach', { maxTokens: 300 }, 100, false],
    ['a cap in USD that is reached', { maxCostUsd: 0.1 }, 1, false],
    ['a day with room', { dailyMaxTokens: 1_000 }, 99, true],
    ['a day it would use up', { dailyMaxTokens: 1_000 }, 100, false],
    ['a day that is used up', { dailyMaxCostUsd: 0.25 }, 1, false],
  ])('leaves room for one more question with %s', async (_name, caps, tokens, expected) => {
    const spending = spendingOf({ '2026-11-05': { tokens: 900, costUsd: 0.25 } });
    const usage = { inputTokens: 150, outputTokens: 50, costUsd: 0.1 };
    expect(hasRoom(tokens, { usage, caps, room: await roomToday(caps, spending, LATE) })).toBe(expected);
  });
});

describe('a price that is unknown', () => {
  const unpriced = { inputTokens: 1, outputTokens: 1 };

  it.each([
    ['matters for a cap of the run', unpriced, { maxCostUsd: 1 }, true],
    ['matters for a cap of the day', unpriced, { dailyMaxCostUsd: 1 }, true],
    ['does not matter without a cap in USD', unpriced, { maxTokens: 1, dailyMaxTokens: 1 }, false],
    ['is not one when it is given', { ...unpriced, costUsd: 0 }, { maxCostUsd: 1 }, false],
    ['is not one when nothing was used', undefined, { maxCostUsd: 1 }, false],
  ])('%s', (_name, usage, caps, expected) => {
    expect(priceIsUnknown(usage, caps)).toBe(expected);
  });
});
