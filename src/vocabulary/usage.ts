/** Consumption of one or several model calls. */
export interface Usage {
  /** All input, including what the provider had cached. */
  inputTokens: number;
  outputTokens: number;
  /** The part of the input that was read from the provider's cache; absent when it reports none. */
  cachedTokens?: number;
  /** Absent when the model's price is unknown. */
  costUsd?: number;
}

/** The cost of two attempts together: an answer that broke off must be paid too. */
export function addUsage(one: Usage | undefined, other: Usage | undefined): Usage | undefined {
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
