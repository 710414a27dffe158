// The day's caps while several turns run: each model call is counted as soon as it ends, and asks before it begins. What is
// running in this process counts with the most it may use; a call for which that leaves nothing waits until another has
// ended, and goes alone at the latest. So a process spends at most one call more than the cap, unless a call uses more than
// that. Nothing is held on disk meanwhile: a kill leaves nothing behind, and other processes are seen by what their calls
// have cost. Where machines share the storage, the calls that run in all of them count: together they spend at most one more.
import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningCall, Spending } from '../storage/storage.ts';
import type { Usage } from '../vocabulary/usage.ts';
import { type Caps, type Room, recordSpending, roomToday } from './budget.ts';

/** Longer answers are rare; some services get this as the longest allowed. */
const LONGEST_ANSWER = 32_000;
/** Calls of other machines end without a word. */
const LOOK_MS = 250;

/** A model call that may begin, with room in the day set aside for it. */
export interface Reservation {
  refused?: undefined;
  /** The call has ended: what it used is on record. Returns what prevented that, if anything. Once. */
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

  function begin(mostTokens: number, shared?: RunningCall): Reservation {
    const reservation: Reservation = {
      async settle(usage) {
        if (!running.has(reservation)) return undefined;
        try {
          if (usage) usdPerToken = Math.max(usdPerToken ?? 0, priceOf(usage));
          return await recordSpending(usage, spending, now());
        } finally {
          running.delete(reservation);
          void shared?.end();
          oneHasSettled.resolve();
          oneHasSettled = Promise.withResolvers();
        }
      },
    };
    running.set(reservation, mostTokens);
    return reservation;
  }

  function fits({ tokensLeft, costLeftUsd }: Exclude<Room, { refused: string }>, shared?: RunningCall): boolean {
    // The storage may have forgotten what runs here, never the other way round.
    const own = running.values().reduce((sum, each) => sum + each, 0);
    const tokens = Math.max(own, shared?.othersTokens ?? 0);
    if (tokens === 0) return true;
    // What a call may cost is known once one has ended.
    const costUsd = costLeftUsd === Number.POSITIVE_INFINITY ? 0 : tokens * (usdPerToken ?? Number.POSITIVE_INFINITY);
    return tokens < tokensLeft && costUsd < costLeftUsd;
  }

  interface Beginning {
    shared?: RunningCall;
    left: Promise<void>;
    signal: AbortSignal;
  }

  /** Undefined when it has to wait, or when a call has ended meanwhile: that one is neither running nor in what was read. */
  async function beginIfFits(
    caps: Caps,
    most: number,
    { shared, left, signal }: Beginning,
  ): Promise<Reservation | { refused: string } | undefined> {
    const found = await room(caps);
    signal.throwIfAborted();
    const isCurrent = left === oneHasSettled.promise;
    if (found.refused === undefined && isCurrent && fits(found, shared)) return begin(most, shared);
    // It must not keep others waiting.
    await shared?.end();
    return found.refused === undefined ? undefined : found;
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
          // Before the room is read: what ended earlier is in the room, what ends later is among the others.
          const shared = await spending.begin?.(most);
          const begun = await beginIfFits(caps, most, { shared, left, signal }).catch((error: unknown) => {
            void shared?.end();
            throw error;
          });
          if (begun) return begun;
          if (left !== oneHasSettled.promise) continue;
          const look = shared && sleep(LOOK_MS * (0.5 + Math.random()), undefined, { ref: false });
          await orAborted(look ? Promise.race([left, look]) : left, signal);
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
