// Spending caps: per run, and per day over all runs of this home. A day that is used up refuses a run before the model
// is asked; what is left of it caps the run. A model whose price is unknown counts in tokens only.
import type { Spending } from '../storage/storage.ts';
import type { TurnUsage } from './events.ts';
import type { Limits } from './guards.ts';

export interface Caps {
  maxTokens?: number;
  maxCostUsd?: number;
  dailyMaxTokens?: number;
  dailyMaxCostUsd?: number;
}

export type Room = { refused: string } | { refused?: undefined; limits: Limits };

export async function roomToday(caps: Caps, spending: Spending, now: number): Promise<Room> {
  const { maxTokens, maxCostUsd, dailyMaxTokens, dailyMaxCostUsd } = caps;
  const limits: Limits = { maxTokens, maxCostUsd };
  if (dailyMaxTokens === undefined && dailyMaxCostUsd === undefined) return { limits };
  const spent = await spending.on(dayOf(now));
  if (dailyMaxTokens !== undefined) {
    if (spent.tokens >= dailyMaxTokens) {
      return {
        refused: `today's cap of ${dailyMaxTokens} tokens is used up (${spent.tokens}); raise "dailyMaxTokens" in config.json or wait until tomorrow`,
      };
    }
    limits.tokensLeftToday = dailyMaxTokens - spent.tokens;
  }
  if (dailyMaxCostUsd !== undefined) {
    if (spent.costUsd >= dailyMaxCostUsd) {
      return {
        refused: `today's cap of ${dailyMaxCostUsd} USD is used up (${spent.costUsd.toFixed(4)}); raise "dailyMaxCostUsd" in config.json or wait until tomorrow`,
      };
    }
    limits.costLeftTodayUsd = dailyMaxCostUsd - spent.costUsd;
  }
  return { limits };
}

/** Kept only for days that have a cap: nobody else should wait for the ledger. */
export async function recordSpending(
  usage: TurnUsage | undefined,
  { dailyMaxTokens, dailyMaxCostUsd }: Caps,
  spending: Spending,
  now: number,
): Promise<void> {
  if (!usage || (dailyMaxTokens === undefined && dailyMaxCostUsd === undefined)) return;
  await spending.add(dayOf(now), { tokens: usage.inputTokens + usage.outputTokens, costUsd: usage.costUsd ?? 0 });
}

/** True when a cap in USD cannot be watched for this usage. */
export function priceIsUnknown(usage: TurnUsage | undefined, { maxCostUsd, dailyMaxCostUsd }: Caps): boolean {
  return usage !== undefined && usage.costUsd === undefined && (maxCostUsd ?? dailyMaxCostUsd) !== undefined;
}

/** The person's own calendar day. */
function dayOf(now: number): string {
  const date = new Date(now);
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}
