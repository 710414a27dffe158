// Spending caps: per run, and per day over all runs of this home. A day that is used up refuses a run before the model
// is asked; what is left of it caps the run. A model whose price is unknown counts in tokens only.
import { localDay } from '../lib/local-day.ts';
import { type Spending, StorageError } from '../storage/storage.ts';
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
  const spent = await spending.on(localDay(now));
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

/** Whether a question of about this many tokens still fits, after a run whose usage is counted already. */
export async function hasRoom(
  tokens: number,
  { usage, caps, spending, now }: { usage: TurnUsage | undefined; caps: Caps; spending: Spending; now: number },
): Promise<boolean> {
  const room = await roomToday(caps, spending, now);
  if (room.refused !== undefined) return false;
  const { maxTokens = Number.POSITIVE_INFINITY, maxCostUsd = Number.POSITIVE_INFINITY, tokensLeftToday } = room.limits;
  const { inputTokens = 0, outputTokens = 0, costUsd = 0 } = usage ?? {};
  const tokensLeft = Math.min(maxTokens - inputTokens - outputTokens, tokensLeftToday ?? Number.POSITIVE_INFINITY);
  return tokens < tokensLeft && costUsd < maxCostUsd;
}

/** Also on days without a cap: one that is set at noon counts the morning. Returns what stood in the way, if anything. */
export async function recordSpending(
  usage: TurnUsage | undefined,
  spending: Spending,
  now: number,
): Promise<string | undefined> {
  if (!usage) return undefined;
  const { inputTokens, outputTokens, costUsd = 0 } = usage;
  try {
    await spending.add(localDay(now), { tokens: inputTokens + outputTokens, costUsd });
    return undefined;
  } catch (error) {
    if (!(error instanceof StorageError)) throw error;
    return `what was spent is not recorded: ${error.message}`;
  }
}

/** True when a cap in USD cannot be watched for this usage. */
export function priceIsUnknown(usage: TurnUsage | undefined, { maxCostUsd, dailyMaxCostUsd }: Caps): boolean {
  return usage !== undefined && usage.costUsd === undefined && (maxCostUsd ?? dailyMaxCostUsd) !== undefined;
}
