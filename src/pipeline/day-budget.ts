// The day's caps while several turns run: each model call is counted as soon as it ends, and asks before it begins. What is
// running in this process counts with the most it may use; a call for which that leaves nothing waits until another has
// ended, and goes alone at the latest. So a process spends at most one call more than the cap, unless a call uses more than
// that. Nothing is held on disk meanwhile: a kill leaves nothing behind, and other processes are seen by what their calls
// have cost.
import type { Spending } from '../storage/storage.ts';
import type { Usage } from '../vocabulary/usage.ts';
import { type Caps, type Room, recordSpending, roomToday } from './budget.ts';

/** Longer answers are rare; some services get this as the longest allowed. */
const LONGEST_ANSWER = 32_000;

/** A model call that may begin, with room in the day set aside for it. */
export interface Reservation {
  refused?: undefined;
  /** The call has ended: what it used is on record. Returns what stood in the way of that, if anything. Once. */
  settle(usage: Usage | undefined): Promise<string | undefined>;
}

export interface DayBudget {
  room(caps: Caps): Promise<Room>;
  /** Before a model call whose question has about so many tokens. Rejects when the signal fires. */
  reserve(caps: Caps, questionTokens: () => number, signal: AbortSignal): Promise<Reservation | { refused: string }>;
}

export function createDayBudget({ spending, now }: { spending: Spending; now(): number }): DayBudget {
  /** The most that each running call may use, in tokens. */
  const running = new Map<Reservation, number>();
  const room = (caps: Caps): Promise<Room> => roomToday(caps, spending, now());
  let usdPerToken: number | undefined;
  let line: Promise<unknown> = Promise.resolve();
  let oneHasSettled = Promise.withResolvers<void>();

  function begin(mostTokens: number): Reservation {
    const reservation: Reservation = {
      async settle(usage) {
        if (!running.has(reservation)) return undefined;
        try {
          if (usage) usdPerToken = Math.max(usdPerToken ?? 0, priceOf(usage));
          return await recordSpending(usage, spending, now());
        } finally {
          running.delete(reservation);
          oneHasSettled.resolve();
          oneHasSettled = Promise.withResolvers();
        }
      },
    };
    running.set(reservation, mostTokens);
    return reservation;
  }

  function fits({ tokensLeft, costLeftUsd }: Exclude<Room, { refused: string }>): boolean {
    if (running.size === 0) return true;
    const tokens = running.values().reduce((sum, each) => sum + each, 0);
    // What a call may cost is known once one has ended.
    const costUsd = costLeftUsd === Number.POSITIVE_INFINITY ? 0 : tokens * (usdPerToken ?? Number.POSITIVE_INFINITY);
    return tokens < tokensLeft && costUsd < costLeftUsd;
  }

  return {
    room,
    async reserve(caps, questionTokens, signal) {
      if (caps.dailyMaxTokens === undefined && caps.dailyMaxCostUsd === undefined) return begin(0);
      // The estimate is doubled: pictures and other tokenizers are not in it.
      const most = 2 * questionTokens() + LONGEST_ANSWER;
      const mine = line.then(async () => {
        for (;;) {
          signal.throwIfAborted();
          const left = oneHasSettled.promise;
          const found = await room(caps);
          if (found.refused !== undefined) return found;
          signal.throwIfAborted();
          // A call that has ended meanwhile is neither running nor in what was read.
          if (left !== oneHasSettled.promise) continue;
          if (fits(found)) return begin(most);
          await orAborted(left, signal);
        }
      });
      line = mine.catch(() => {});
      try {
        return await orAborted(mine, signal);
      } catch (error) {
        // It was reserved just when nobody waited any more.
        mine.then(
          (reserved) => reserved.refused === undefined && void reserved.settle(undefined),
          () => {},
        );
        throw error;
      }
    },
  };
}

function priceOf({ inputTokens, outputTokens, costUsd = 0 }: Usage): number {
  return costUsd / Math.max(1, inputTokens + outputTokens);
}

async function orAborted<T>(waiting: Promise<T>, signal: AbortSignal): Promise<T> {
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    return await Promise.race([waiting, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
