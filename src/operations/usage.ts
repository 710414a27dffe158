// What models have cost.
import { localDay } from '../lib/local-day.ts';
import { defineOperation } from './operation.ts';
import { NO_INPUT, objectWith, TEXT } from './schemas.ts';

const AMOUNT = { type: 'number', minimum: 0 } as const;

export const usageToday = defineOperation({
  name: 'usage.today',
  class: 'read',
  summary: 'Read what the models of all turns have used today, and the caps of a day.',
  input: NO_INPUT,
  output: objectWith(
    { day: TEXT, tokens: AMOUNT, costUsd: AMOUNT },
    { dailyMaxTokens: AMOUNT, dailyMaxCostUsd: AMOUNT },
  ),
  async run(_input, { runtime }) {
    const day = localDay(runtime.environment.now());
    const { dailyMaxTokens, dailyMaxCostUsd } = runtime.config;
    return {
      day,
      ...(await runtime.spentOn(day)),
      ...(dailyMaxTokens !== undefined && { dailyMaxTokens }),
      ...(dailyMaxCostUsd !== undefined && { dailyMaxCostUsd }),
    };
  },
});
