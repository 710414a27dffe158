import type { ModelUsage } from './adapter.ts';

/** What two attempts cost together: also an answer that broke off has to be paid. */
export function addUsage(one: ModelUsage | undefined, other: ModelUsage | undefined): ModelUsage | undefined {
  if (!one || !other) return one ?? other;
  const costs = [one.costUsd, other.costUsd].filter((cost) => cost !== undefined);
  const cachedTokens = (one.cachedTokens ?? 0) + (other.cachedTokens ?? 0);
  return {
    inputTokens: one.inputTokens + other.inputTokens,
    outputTokens: one.outputTokens + other.outputTokens,
    ...(cachedTokens > 0 ? { cachedTokens } : {}),
    ...(costs.length > 0 ? { costUsd: costs.reduce((sum, cost) => sum + cost, 0) } : {}),
  };
}
