// The day's caps over gateways that share a database.
import { afterAll, expect, it } from 'vitest';
import { testDatabase } from '../../test/support/postgres.ts';
import { createDayBudget, type DayBudget } from '../pipeline/day-budget.ts';
import { openDatabase } from '../storage/postgres/connect.ts';
import { createPostgresSpending } from '../storage/postgres/spending.ts';

const GATEWAYS = 3;
const CALL = { inputTokens: 900, outputTokens: 100 };
const never = new AbortController().signal;

const closings: (() => unknown)[] = [];

afterAll(async () => {
  for (const close of closings.reverse()) await close();
});

async function budgets(): Promise<DayBudget[]> {
  const test = await testDatabase();
  closings.push(() => test.drop());
  return Array.from({ length: GATEWAYS }, (_, index) => {
    const database = openDatabase({ url: test.url });
    const spending = createPostgresSpending(database, `process-${index}`);
    closings.push(
      () => database.close(),
      () => spending.close(),
    );
    return createDayBudget({ spending, now: Date.now });
  });
}

it('turns of all of them spend at most one call more than the day has', async () => {
  let calls = 0;
  let running = 0;
  let mostAtOnce = 0;
  const turn = async (budget: DayBudget): Promise<void> => {
    for (;;) {
      const reservation = await budget.reserve({ dailyMaxTokens: 5_500 }, () => 100, never);
      if (reservation.refused !== undefined) return;
      calls += 1;
      running += 1;
      mostAtOnce = Math.max(mostAtOnce, running);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
      await reservation.settle(CALL);
    }
  };
  await Promise.all((await budgets()).flatMap((budget) => [turn(budget), turn(budget)]));
  // A call may use 32,200: only one goes at a time.
  expect({ calls, mostAtOnce }).toEqual({ calls: 6, mostAtOnce: 1 });
});

it('turns run beside each other while the day has room for all', async () => {
  const reserved = await Promise.all(
    (await budgets()).map((budget) => budget.reserve({ dailyMaxTokens: 1_000_000 }, () => 100, never)),
  );
  for (const reservation of reserved) {
    if (reservation.refused !== undefined) expect.unreachable(reservation.refused);
    await reservation.settle(CALL);
  }
});
