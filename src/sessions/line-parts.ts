// Parts of a transcript's line, as far as they are what they should be: somebody may have edited the file.
import type { JournalledContext } from './lines.ts';

export interface HistoryError {
  code: string;
  message: string;
  reason?: string;
}

export interface HistoryUsage {
  inputTokens: number;
  outputTokens: number;
  cachedTokens?: number;
  costUsd?: number;
}

export function errorOf(value: unknown): HistoryError | undefined {
  const { code, message, reason } = (value ?? {}) as Partial<HistoryError>;
  if (typeof code !== 'string' || typeof message !== 'string') return undefined;
  return { code, message, ...(typeof reason === 'string' && { reason }) };
}

export function usageOf(value: unknown): HistoryUsage | undefined {
  const { inputTokens, outputTokens, cachedTokens, costUsd } = (value ?? {}) as Partial<HistoryUsage>;
  if (typeof inputTokens !== 'number' || typeof outputTokens !== 'number') return undefined;
  return {
    inputTokens,
    outputTokens,
    ...(typeof cachedTokens === 'number' && { cachedTokens }),
    ...(typeof costUsd === 'number' && { costUsd }),
  };
}

export function contextOf(value: unknown): JournalledContext | undefined {
  const { tokens, window } = (value ?? {}) as Partial<JournalledContext>;
  return isCount(tokens) ? { tokens, ...(isCount(window) && { window }) } : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
