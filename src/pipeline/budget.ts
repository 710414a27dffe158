// Spending caps: per run, and per day over all runs of this home. A day that is used up refuses a run before the model
// is asked. A model whose price is unknown counts in tokens only.
import { localDay } from '../lib/local-day.ts';
import { type Spending, StorageError } from '../storage/storage.ts';
import type { Usage } from '../vocabulary/usage.ts';

export interface Caps {
  maxTokens?: number;
  maxCostUsd?: number;
  dailyMaxTokens?: number;
  dailyMaxCostUsd?: number;
}

/** What the day leaves; infinite without a cap. */
export type Room = { refused: string } | { refused?: undefined; tokensLeft: number; costLeftUsd: number };

export async function roomToday(caps: Caps, spending: Spending, now: number): Promise<Room> {
  const { dailyMaxTokens = Number.POSITIVE_INFINITY, dailyMaxCostUsd = Number.POSITIVE_INFINITY } = caps;
  if (dailyMaxTokens === Number.POSITIVE_INFINITY && dailyMaxCostUsd === Number.POSITIVE_INFINITY)
    return { tokensLeft: dailyMaxTokens, costLeftUsd: dailyMaxCostUsd };
  const spent = await spending.on(localDay(now));
  if (spent.tokens >= dailyMaxTokens) {
    return {
      refused: `today's cap of ${dailyMaxTokens} tokens is used up (${spent.tokens}); raise "dailyMaxTokens" in config.json or wait until tomorrow`,
    };
  }
  if (spent.costUsd >= dailyMaxCostUsd) {
    return {
      refused: `today's cap of ${dailyMaxCostUsd} USD is used up (${spent.costUsd.toFixed(4)}); raise "dailyMaxCostUsd" in config.json or wait until tomorrow`,
    };
  }
  return { tokensLeft: dailyMaxTokens - spent.tokens, costLeftUsd: dailyMaxCostUsd - spent.costUsd };
}

/** Whether a question of about this many tokens still fits, after a run that has used so much. */
export function hasRoom(tokens: number, { usage, caps, room }: { usage?: Usage; caps: Caps; room: Room }): boolean {
  if (room.refused !== undefined) return false;
  const { maxTokens = Number.POSITIVE_INFINITY, maxCostUsd = Number.POSITIVE_INFINITY } = caps;
  const { inputTokens = 0, outputTokens = 0, costUsd = 0 } = usage ?? {};
  return tokens < Math.min(maxTokens - inputTokens - outputTokens, room.tokensLeft) && costUsd < maxCostUsd;
}

/** Also on days without a cap: one that is set at noon counts the morning. Returns what prevented it, if anything. */
export async function recordSpending(
  usage: Usage | undefined,
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
export function priceIsUnknown(usage: Usage | undefined, { maxCostUsd, dailyMaxCostUsd }: Caps): boolean {
  return usage !== undefined && usage.costUsd === undefined && (maxCostUsd ?? dailyMaxCostUsd) !== undefined;
}
