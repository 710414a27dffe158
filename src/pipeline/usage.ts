// What a turn has used: by its own model calls, and by the turns it started. Both count against its caps.
import type { Usage } from '../vocabulary/usage.ts';

export interface UsageLedger {
  add(usage: Usage | undefined): void;
  addDelegated(usage: Usage | undefined): void;
  total(): Usage | undefined;
  /** What counts against caps: every price that is known, also beside models without one. */
  spent(): Usage | undefined;
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
  let all: Usage | undefined;
  let known: Usage | undefined;
  return {
    add(usage: Usage | undefined): void {
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

function joined(one: Usage | undefined, other: Usage | undefined, prices: Prices): Usage | undefined {
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
