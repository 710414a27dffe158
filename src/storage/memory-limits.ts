// Limits of this process. Of a counter only the time is kept at which a name is forgiven everything: each count moves it by one interval. Once a kind knows
// too many names, the rest share one, so that a million addresses cost no memory and have no more tries.
import type { Allowance, Limits } from './limits.ts';

const MOST_NAMES = 1_000;
const OTHER_NAMES = 'other';

/** `now`: milliseconds of a clock that never goes back. */
export function createMemoryLimits(now: () => number): Limits {
  const counters = new Map<string, MemoryCounter>();
  const entered = new Map<string, Set<string>>();
  const held = new Map<string, number>();
  return {
    counter(kind, allowance) {
      const counter = counters.get(kind) ?? createMemoryCounter(now, allowance);
      counters.set(kind, counter);
      return {
        async attempt(name, isRight) {
          const waitMs = counter.take(name);
          if (waitMs > 0) return waitMs;
          if (!isRight()) return false;
          counter.giveBack(name);
          return true;
        },
      };
    },

    places: (kind, most) => ({
      async enter(name, place) {
        const key = JSON.stringify([kind, name]);
        const places = entered.get(key) ?? new Set();
        if (places.size >= most && !places.has(place)) return false;
        entered.set(key, places.add(place));
        return true;
      },
      async leave(name, place) {
        const key = JSON.stringify([kind, name]);
        const places = entered.get(key);
        places?.delete(place);
        if (places?.size === 0) entered.delete(key);
      },
    }),

    holds: {
      async hold(name, ms) {
        const at = now();
        for (const [other, until] of held) if (until <= at) held.delete(other);
        held.set(name, Math.max(held.get(name) ?? 0, at + ms));
      },
      leftMs: async (name) => Math.max(0, (held.get(name) ?? 0) - now()),
    },
  };
}

export interface MemoryCounter {
  /** Counts one under the name and returns 0; or counts nothing and returns the milliseconds to wait. */
  take(name: string): number;
  /** Takes one back that was counted. */
  giveBack(name: string): void;
}

export function createMemoryCounter(now: () => number, { most, intervalMs }: Allowance): MemoryCounter {
  const forgivenAt = new Map<string, number>();

  /** The name to count under. Forgets names that time has forgiven before it counts one with the others. */
  function roomFor(name: string, at: number): string {
    if (forgivenAt.has(name) || forgivenAt.size < MOST_NAMES) return name;
    for (const [known, until] of forgivenAt) if (until <= at) forgivenAt.delete(known);
    return forgivenAt.size < MOST_NAMES ? name : OTHER_NAMES;
  }

  return {
    take(given) {
      const at = now();
      const name = roomFor(given, at);
      const from = Math.max(forgivenAt.get(name) ?? at, at);
      const waitMs = from - at - (most - 1) * intervalMs;
      if (waitMs > 0) return waitMs;
      forgivenAt.set(name, from + intervalMs);
      return 0;
    },
    giveBack(given) {
      const name = forgivenAt.has(given) ? given : OTHER_NAMES;
      const until = (forgivenAt.get(name) ?? 0) - intervalMs;
      if (until > now()) forgivenAt.set(name, until);
      else forgivenAt.delete(name);
    },
  };
}
