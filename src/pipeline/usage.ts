// What a turn has used: by its own model calls, and by the turns it started. Both count against its caps.
import type { TurnUsage } from './events.ts';

export interface UsageLedger {
  add(usage: TurnUsage | undefined): void;
  addDelegated(usage: TurnUsage | undefined): void;
  total(): TurnUsage | undefined;
  /** What counts against caps: every price that is known, also beside models without one. */
  spent(): TurnUsage | undefined;
}

export function createUsageLedger(): UsageLedger {
  const own = createSum();
  const delegated = createSum();
  return {
    add: own.add,
    addDelegated: delegated.add,
    total: () => joined(own.all(), delegated.all(), pricedOnly),
    spent: () => joined(own.known(), delegated.known(), asKnown),
  };
}

function createSum() {
  let all: TurnUsage | undefined;
  let known: TurnUsage | undefined;
  return {
    add(usage: TurnUsage | undefined): void {
      all = joined(all, usage, pricedOnly);
      known = joined(known, usage, asKnown);
    },
    all: () => all,
    known: () => known,
  };
}

type Prices = (one: number | undefined, other: number | undefined) => number | undefined;

/** A sum of prices is a price only when each part has one. */
const pricedOnly: Prices = (one, other) => (one === undefined || other === undefined ? undefined : one + other);
const asKnown: Prices = (one, other) =>
  one === undefined && other === undefined ? undefined : (one ?? 0) + (other ?? 0);

function joined(one: TurnUsage | undefined, other: TurnUsage | undefined, prices: Prices): TurnUsage | undefined {
  if (!one || !other) return one ?? other;
  const costUsd = prices(one.costUsd, other.costUsd);
  const cachedTokens = (one.cachedTokens ?? 0) + (other.cachedTokens ?? 0);
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...(cachedTokens > 0 && { cachedTokens }),
    ...(costUsd !== undefined && { costUsd }),
  };
}
