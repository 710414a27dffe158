// What a turn has used: by its own model calls, and by the turns it started. Both count against its caps; the ledger of the
// day gets the own part only, because every other turn enters its own.
import type { TurnUsage } from './events.ts';

export interface UsageLedger {
  add(usage: TurnUsage | undefined): void;
  addDelegated(usage: TurnUsage | undefined): void;
  own(): TurnUsage | undefined;
  total(): TurnUsage | undefined;
}

export function createUsageLedger(): UsageLedger {
  let own: TurnUsage | undefined;
  let delegated: TurnUsage | undefined;
  return {
    add(usage) {
      own = sum(own, usage);
    },
    addDelegated(usage) {
      delegated = sum(delegated, usage);
    },
    own: () => own,
    total: () => sum(own, delegated),
  };
}

function sum(one: TurnUsage | undefined, other: TurnUsage | undefined): TurnUsage | undefined {
  if (!one || !other) return one ?? other;
  const both: TurnUsage = {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
  };
  // A sum of prices is a price only when each part has one.
  if (one.costUsd !== undefined && other.costUsd !== undefined) both.costUsd = one.costUsd + other.costUsd;
  return both;
}
