// The limits of this process and those of a shared storage: both must admit. The storage is waited for as briefly as a person who signs in can bear; when it
// does not answer, this process decides alone, and asks it again after a while. So a lost database neither opens a gate nor closes one.
// A right secret costs the storage nothing: it is asked before a comparison only where this process has seen a wrong one of that name, and told of each wrong
// one. So N processes compare at most N - 1 wrong ones more than one alone.
import type { Limits } from './limits.ts';
import { createMemoryCounter, type MemoryCounter } from './memory-limits.ts';

/** Longest wait for the storage. */
const WAIT_MS = 2_000;
/** After it did not answer, it is not asked for so long. */
const REST_MS = 5_000;
/** An answer about a hold is used again for so long: every request to a model asks. */
const HOLD_KNOWN_MS = 1_000;
/** So is its refusal of a name. */
const REFUSAL_KNOWN_MS = 1_000;

/** So long after a wrong one of a name, the storage is asked before the next comparison. */
const SUSPECT_MS = 60 * 60_000;
const MOST_SUSPECTS = 2_000;

interface Kind {
  here: MemoryCounter;
  suspects: Map<string, Suspect>;
  /** By name: the last attempt that waits. */
  lines: Map<string, Promise<unknown>>;
}

interface Suspect {
  until: number;
  /** The storage refused the name until then; it is asked again from `askAgainAt` on. */
  refused?: { until: number; askAgainAt: number };
}

export interface BothLimitsOptions {
  own: Limits;
  shared: Limits;
  /** Milliseconds of a clock that never goes back. */
  now(): number;
  waitMs?: number;
}

export function createBothLimits({ own, shared, now, waitMs = WAIT_MS }: BothLimitsOptions): Limits {
  let restsUntil = Number.NEGATIVE_INFINITY;
  const kinds = new Map<string, Kind>();
  const holdsKnownAt = new Map<string, number>();

  /** Undefined when the storage did not answer. */
  async function ask<T>(question: () => Promise<T>): Promise<T | undefined> {
    return now() < restsUntil ? undefined : within(question());
  }

  async function within<T>(work: Promise<T>): Promise<T | undefined> {
    const { promise: tooLate, resolve } = Promise.withResolvers<undefined>();
    const timer = setTimeout(() => resolve(undefined), waitMs);
    const answer = await Promise.race([work.catch(() => undefined), tooLate]);
    clearTimeout(timer);
    if (answer === undefined) restsUntil = now() + REST_MS;
    return answer;
  }

  function suspect({ suspects }: Kind, name: string): void {
    const at = now();
    if (suspects.size >= MOST_SUSPECTS)
      for (const [known, { until }] of suspects) if (until <= at) suspects.delete(known);
    // The oldest, where all of them are recent.
    const [oldest] = suspects.keys();
    if (suspects.size >= MOST_SUSPECTS && oldest !== undefined) suspects.delete(oldest);
    suspects.delete(name);
    suspects.set(name, { until: at + SUSPECT_MS });
  }

  const done = async (work: Promise<void>): Promise<true> => {
    await work;
    return true;
  };

  return {
    counter(kind, allowance) {
      const counted: Kind = kinds.get(kind) ?? {
        here: createMemoryCounter(now, allowance),
        suspects: new Map(),
        lines: new Map(),
      };
      kinds.set(kind, counted);
      const { here, suspects, lines } = counted;
      const everywhere = shared.counter(kind, allowance);

      /** At once, so that of several at the same moment one is compared. */
      async function attemptFirst(name: string, isRight: () => boolean): Promise<boolean | number> {
        const waitMs = here.take(name);
        if (waitMs > 0) return waitMs;
        if (isRight()) {
          here.giveBack(name);
          return true;
        }
        suspect(counted, name);
        const outcome = (await ask(() => everywhere.attempt(name, () => false))) ?? false;
        if (outcome !== false) here.giveBack(name);
        return outcome;
      }

      async function attemptSuspect(name: string, isRight: () => boolean): Promise<boolean | number> {
        const known = suspects.get(name);
        if (known?.refused && now() < known.refused.askAgainAt) return known.refused.until - now();
        const waitMs = here.take(name);
        if (waitMs > 0) return waitMs;
        let isAnswered = false;
        // Counted as wrong where the storage answers too late to be heard.
        const answer = await ask(() => everywhere.attempt(name, () => !isAnswered && isRight()));
        isAnswered = true;
        const outcome = answer ?? isRight();
        if (typeof outcome === 'number' && known)
          known.refused = { until: now() + outcome, askAgainAt: now() + Math.min(outcome, REFUSAL_KNOWN_MS) };
        if (outcome !== false) here.giveBack(name);
        else suspect(counted, name);
        return outcome;
      }

      /** One after the other: each waits for the storage with a try that is taken, so right ones at the same moment would refuse each other. */
      async function inLine<T>(name: string, work: () => Promise<T>): Promise<T> {
        const mine = (lines.get(name) ?? Promise.resolve()).then(work);
        const ended = mine.catch(() => {});
        lines.set(name, ended);
        try {
          return await mine;
        } finally {
          if (lines.get(name) === ended) lines.delete(name);
        }
      }

      return {
        attempt(name, isRight) {
          const isSuspect = now() < (suspects.get(name)?.until ?? Number.NEGATIVE_INFINITY);
          return isSuspect ? inLine(name, () => attemptSuspect(name, isRight)) : attemptFirst(name, isRight);
        },
      };
    },

    places(kind, most) {
      const [here, everywhere] = [own.places(kind, most), shared.places(kind, most)];
      return {
        async enter(name, place) {
          if (!(await here.enter(name, place))) return false;
          if ((await ask(() => everywhere.enter(name, place))) ?? true) return true;
          await here.leave(name, place);
          return false;
        },
        async leave(name, place) {
          await here.leave(name, place);
          // Also while the storage rests: what is not left there is renewed.
          await within(done(everywhere.leave(name, place)));
        },
      };
    },

    holds: {
      async hold(name, ms) {
        await own.holds.hold(name, ms);
        await ask(() => done(shared.holds.hold(name, ms)));
      },
      async leftMs(name) {
        if (now() - (holdsKnownAt.get(name) ?? Number.NEGATIVE_INFINITY) >= HOLD_KNOWN_MS) {
          holdsKnownAt.set(name, now());
          const left = await ask(() => shared.holds.leftMs(name));
          if (left !== undefined && left > 0) await own.holds.hold(name, left);
        }
        return own.holds.leftMs(name);
      },
    },
  };
}
