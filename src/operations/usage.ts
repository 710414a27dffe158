// What models have cost.
import { localDay } from '../lib/local-day.ts';
import { addTurn, emptyReport } from '../sessions/usage-report.ts';
import { defineOperation } from './operation.ts';
import { COUNT, listOf, NO_INPUT, objectWith, POSITIVE, TEXT } from './schemas.ts';

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
    // Turns take their caps from there, too.
    const { dailyMaxTokens, dailyMaxCostUsd } = await runtime.currentConfig();
    return {
      day,
      ...(await runtime.spentOn(day)),
      ...(dailyMaxTokens !== undefined && { dailyMaxTokens }),
      ...(dailyMaxCostUsd !== undefined && { dailyMaxCostUsd }),
    };
  },
});

const DAY_MS = 86_400_000;
const USED = { turns: COUNT, tokens: AMOUNT, costUsd: AMOUNT, durationMs: AMOUNT } as const;

export const usageReport = defineOperation({
  name: 'usage.report',
  class: 'read',
  summary: 'Add up what the turns on record have used: by day, model, conversation and tool.',
  input: {
    type: 'object',
    properties: { days: { ...POSITIVE, maximum: 366, default: 30, description: 'the last days, today included' } },
    additionalProperties: false,
  },
  output: objectWith({
    days: listOf(objectWith({ day: TEXT, ...USED })),
    models: listOf(objectWith({ model: TEXT, ...USED })),
    sessions: listOf(objectWith({ sessionKey: TEXT, ...USED }, { title: TEXT })),
    tools: listOf(objectWith({ tool: TEXT, calls: COUNT, failures: COUNT, durationMs: AMOUNT })),
  }),
  async run({ days }, { runtime: { sessions, environment }, signal }) {
    const from = new Date(environment.now() - (days - 1) * DAY_MS).setHours(0, 0, 0, 0);
    const report = emptyReport();
    const entries = (await sessions.list({})).filter(({ updatedAt }) => Date.parse(updatedAt) >= from);
    for (const { sessionKey, sessionId } of entries)
      for await (const item of sessions.history(sessionId)) {
        signal.throwIfAborted();
        if (item.kind === 'turn' && Date.parse(item.turn.startedAt ?? '') >= from)
          addTurn(report, sessionKey, item.turn, localDay);
      }
    const titles = new Map(entries.map(({ sessionKey, title }) => [sessionKey, title]));
    return {
      days: [...report.days].map(([day, used]) => ({ day, ...used })).toSorted((a, b) => (a.day < b.day ? -1 : 1)),
      models: [...report.models].map(([model, used]) => ({ model, ...used })).toSorted(byTokens),
      sessions: [...report.sessions]
        .map(([sessionKey, used]) => ({ sessionKey, title: titles.get(sessionKey), ...used }))
        .toSorted(byTokens),
      tools: [...report.tools].map(([tool, used]) => ({ tool, ...used })).toSorted((a, b) => b.calls - a.calls),
    };
  },
});

function byTokens(one: { tokens: number }, other: { tokens: number }): number {
  return other.tokens - one.tokens;
}
