// What turns have used, added up from their transcripts: by day, by model, by conversation, and the calls of tools. A turn counts
// on the day it began.
import type { HistoryTurn } from './history.ts';

export interface UsedAmount {
  turns: number;
  tokens: number;
  costUsd: number;
  /** From the question to the answer, of all turns together. */
  durationMs: number;
}

export interface UsedTool {
  calls: number;
  failures: number;
  durationMs: number;
}

export interface UsageReport {
  days: Map<string, UsedAmount>;
  models: Map<string, UsedAmount>;
  sessions: Map<string, UsedAmount>;
  tools: Map<string, UsedTool>;
}

export function emptyReport(): UsageReport {
  return { days: new Map(), models: new Map(), sessions: new Map(), tools: new Map() };
}

/** Adds a turn to the report; `dayOf` gives the calendar day of a moment. */
export function addTurn(
  report: UsageReport,
  sessionKey: string,
  turn: HistoryTurn,
  dayOf: (moment: number) => string,
): void {
  const began = Date.parse(turn.startedAt ?? '');
  if (Number.isNaN(began)) return;
  const { inputTokens = 0, outputTokens = 0, costUsd = 0 } = turn.usage ?? {};
  const ended = Date.parse(turn.endedAt ?? '');
  const used: UsedAmount = {
    turns: 1,
    tokens: inputTokens + outputTokens,
    costUsd,
    durationMs: Number.isNaN(ended) ? 0 : Math.max(0, ended - began),
  };
  add(report.days, dayOf(began), used);
  add(report.models, [turn.provider, turn.model].filter((name) => name !== undefined).join('/') || 'unknown', used);
  add(report.sessions, sessionKey, used);
  for (const { call, result } of turn.calls) {
    const { calls, failures, durationMs } = report.tools.get(call.name) ?? { calls: 0, failures: 0, durationMs: 0 };
    report.tools.set(call.name, {
      calls: calls + 1,
      failures: failures + (result?.ok === false ? 1 : 0),
      durationMs: durationMs + (Number(result?.meta?.durationMs) || 0),
    });
  }
}

function add(amounts: Map<string, UsedAmount>, name: string, used: UsedAmount): void {
  const before = amounts.get(name) ?? { turns: 0, tokens: 0, costUsd: 0, durationMs: 0 };
  amounts.set(name, {
    turns: before.turns + used.turns,
    tokens: before.tokens + used.tokens,
    costUsd: before.costUsd + used.costUsd,
    durationMs: before.durationMs + used.durationMs,
  });
}
