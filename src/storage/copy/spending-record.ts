import type { Spent } from '../storage.ts';
import type { CopiedRecord } from './record-set.ts';

/** Whose a sum is that a home keeps without a process. */
export const SPENDING_OF_HOME = 'home';

export function spendingRecord(day: string, process: string, { tokens, costUsd }: Spent): CopiedRecord {
  return { key: `${day} ${process}`, fields: { day, process, tokens, costUsd } };
}
