import { describe, expect, it } from 'vitest';
import type { Spending } from '../storage/storage.ts';
import type { Usage } from '../vocabulary/usage.ts';
import { createDayBudget, type DayBudget, type Reservation } from './day-budget.ts';

const never = new AbortController().signal;

/** What all processes of a home see. */
function sharedSpending(): Spending & { tokens: number; costUsd: number } {
  const shared = {
    tokens: 0,
    costUsd: 0,
    on: async () => ({ tokens: shared.tokens, costUsd: shared.costUsd }),
    async add(_day: string, { tokens, costUsd }: { tokens: number; costUsd: number }) {
      shared.tokens += tokens;
      shared.costUsd += costUsd;
    },
  };
  return shared;
}

/** What all machines see. */
function sharedCalls(): Required<Pick<Spending, 'begin'>> {
  const calls = new Map<object, number>();
  return {
    async begin(tokens) {
      const call = {};
      const othersTokens = [...calls.values()].reduce((sum, each) => sum + each, 0);
      calls.set(call, tokens);
      return { othersTokens, end: async () => void calls.delete(call) };
    },
  };
}

const turns = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const reservationOf = (reserved: Reservation | { refused: string }): Reservation =>
  reserved.refused === undefined ? reserved : expect.unreachable(reserved.refused);

/** Turns of three calls each, all at the same time. Returns how many calls were made. */
async function manyTurns(budgets: DayBudget[], caps: object, usage: Usage, each = 10): Promise<number> {
  let calls = 0;
  const turn = async (budget: DayBudget): Promise<void> => {
    for (let call = 0; call < 3; call += 1) {
      const reservation = await budget.reserve(caps, () => 100, never);
      if (reservation.refused !== undefined) return;
      calls += 1;
      await turns();
      await reservation.settle(usage);
    }
  };
  await Promise.all(budgets.flatMap((budget) => Array.from({ length: each }, () => turn(budget))));
  return calls;
}

describe('turns at the same time', () => {
  it('spend at most one call more than the day has, however many there are', async () => {
    const spending = sharedSpending();
    const budget = createDayBudget({ spending, now: Date.now });
    const usage = { inputTokens: 900, outputTokens: 100 };
    expect(await manyTurns([budget], { dailyMaxTokens: 4_500 }, usage)).toBe(5);
    expect(spending.tokens).toBe(5_000);
  });

  it('do not begin with what was read before another call ended', async () => {
    const spending = sharedSpending();
    const budget = createDayBudget({ spending, now: Date.now });
    const first = reservationOf(await budget.reserve({ dailyMaxTokens: 500 }, () => 100, never));
    const read = Promise.withResolvers<void>();
    const { on } = spending;
    spending.on = async (day) => {
      const before = await on(day);
      await read.promise;
      return before;
    };
    const second = budget.reserve({ dailyMaxTokens: 500 }, () => 100, never);
    await turns();
    await first.settle({ inputTokens: 900, outputTokens: 100 });
    read.resolve();
    expect(await second).toEqual({ refused: expect.stringContaining('500') });
  });

  it('so too in USD', async () => {
    const spending = sharedSpending();
    const budget = createDayBudget({ spending, now: Date.now });
    const usage = { inputTokens: 900, outputTokens: 100, costUsd: 0.25 };
    expect(await manyTurns([budget], { dailyMaxCostUsd: 1.1 }, usage)).toBe(5);
  });

  it('of several processes spend at most one call more for each process', async () => {
    const spending = sharedSpending();
    const budgets = [1, 2, 3].map(() => createDayBudget({ spending, now: Date.now }));
    const usage = { inputTokens: 900, outputTokens: 100 };
    expect(await manyTurns(budgets, { dailyMaxTokens: 10_500 }, usage)).toBeLessThanOrEqual(10 + 3);
  });

  it('of machines that see each other’s calls spend at most one call more together', async () => {
    const spending = { ...sharedSpending(), ...sharedCalls() };
    const budgets = [1, 2, 3].map(() => createDayBudget({ spending, now: Date.now }));
    const usage = { inputTokens: 900, outputTokens: 100 };
    expect(await manyTurns(budgets, { dailyMaxTokens: 10_500 }, usage, 2)).toBe(11);
    expect(await spending.begin(1)).toMatchObject({ othersTokens: 0 });
  });

  it('run beside those of other machines while there is room for all', async () => {
    const spending = { ...sharedSpending(), ...sharedCalls() };
    const budgets = [1, 2].map(() => createDayBudget({ spending, now: Date.now }));
    const caps = { dailyMaxTokens: 1_000_000 };
    const reserved = await Promise.all(budgets.map((budget) => budget.reserve(caps, () => 100, never)));
    for (const reservation of reserved.map(reservationOf)) await reservation.settle(undefined);
  });

  it('that are refused, or wait when their turn ends, keep no other machine waiting', async () => {
    const spending = { ...sharedSpending(), ...sharedCalls() };
    const budget = createDayBudget({ spending, now: Date.now });
    const running = reservationOf(await budget.reserve({ dailyMaxTokens: 500 }, () => 100, never));
    const stopped = new AbortController();
    const waiting = budget.reserve({ dailyMaxTokens: 500 }, () => 100, stopped.signal);
    await turns();
    stopped.abort(new Error('stopped'));
    await expect(waiting).rejects.toThrow('stopped');
    await running.settle({ inputTokens: 900, outputTokens: 100 });
    expect(await budget.reserve({ dailyMaxTokens: 500 }, () => 100, never)).toEqual({
      refused: expect.stringContaining('500'),
    });
    expect(await spending.begin(1)).toMatchObject({ othersTokens: 0 });
  });

  it('run beside each other while there is room for all', async () => {
    const budget = createDayBudget({ spending: sharedSpending(), now: Date.now });
    for (const caps of [{}, { dailyMaxTokens: 1_000_000 }]) {
      const reservations = await Promise.all(Array.from({ length: 8 }, () => budget.reserve(caps, () => 100, never)));
      expect(reservations.filter(({ refused }) => refused === undefined)).toHaveLength(8);
      for (const reservation of reservations) await reservationOf(reservation).settle(undefined);
    }
  });
});

describe('a call that waits for another', () => {
  const caps = { dailyMaxTokens: 1_000 };

  it('begins when that one has ended, also without a word of what it used', async () => {
    const budget = createDayBudget({ spending: sharedSpending(), now: Date.now });
    const first = reservationOf(await budget.reserve(caps, () => 1, never));
    const second = budget.reserve(caps, () => 1, never);
    expect(await Promise.race([second, turns().then(() => 'waiting')])).toBe('waiting');
    await first.settle(undefined);
    reservationOf(await second);
  });

  it('can be given up, and holds up nobody behind it', async () => {
    const budget = createDayBudget({ spending: sharedSpending(), now: Date.now });
    const first = reservationOf(await budget.reserve(caps, () => 1, never));
    const controls = [new AbortController(), new AbortController()];
    const given = controls.map(({ signal }) => budget.reserve(caps, () => 1, signal));
    const last = budget.reserve(caps, () => 1, never);
    for (const control of controls.toReversed()) control.abort(new Error('given up'));
    for (const reserved of given) await expect(reserved).rejects.toThrow('given up');
    await first.settle({ inputTokens: 1, outputTokens: 1 });
    reservationOf(await last);
  });

  it('that was given up before it came waits for nobody', async () => {
    const budget = createDayBudget({ spending: sharedSpending(), now: Date.now });
    reservationOf(await budget.reserve(caps, () => 1, never));
    const waiting = budget.reserve(caps, () => 1, never);
    const gone = budget.reserve(caps, () => 1, AbortSignal.abort(new Error('given up')));
    const first = await Promise.race([gone.catch((error: Error) => error.message), waiting, turns().then(turns)]);
    expect(first).toBe('given up');
  });

  it('is refused when that one has used up the day', async () => {
    const budget = createDayBudget({ spending: sharedSpending(), now: Date.now });
    const first = reservationOf(await budget.reserve(caps, () => 1, never));
    const second = budget.reserve(caps, () => 1, never);
    await first.settle({ inputTokens: 1_000, outputTokens: 0 });
    expect((await second).refused).toMatch(/cap of 1000 tokens is used up/);
  });
});
