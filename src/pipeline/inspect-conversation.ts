// Looking at a conversation between turns: what fills the model's window, and summarising the older part on request. Both wait for
// the session's turn, journal no turn of their own, and ask nothing of the model but the summary.
import { textTokens, tokensIn, toolTokens } from '../adapters/request-size.ts';
import { localDay } from '../lib/local-day.ts';
import type { HistoryTurn } from '../sessions/history.ts';
import type { ContextReport } from './context-size.ts';
import { type CompactContext, compactTurns, sentHistory } from './history.ts';
import { charactersToRead, historyBudget, newestThatFit } from './history-budget.ts';
import { readHistoryPictures } from './history-messages.ts';
import { withWindow } from './model-window.ts';
import { turnNote } from './prompt.ts';
import { type PromptContext, promptParts } from './prompt-parts.ts';
import type { RunDependencies, RunRequest } from './turn-context.ts';
import { createUsageLedger } from './usage.ts';

export type CompactReport =
  | { kind: 'compacted'; notice: string; tokensBefore: number; tokensAfter: number }
  | { kind: 'nothing'; messageCount: number }
  | { kind: 'refused'; reason: string };

/** Undefined when the session has not begun. */
export async function describeContext(
  request: RunRequest,
  dependencies: RunDependencies,
  signal: AbortSignal,
): Promise<ContextReport | undefined> {
  return withSession(request, dependencies, signal, async (context) => {
    const { model, toolbox, historyTokens, turn, adapter } = context;
    const offered = toolbox.offer(toolbox.visible(request.toolAllow));
    const { wireNames } = offered;
    const parts = await promptParts(context, offered);
    const { summary, turns } = turn.history;
    const callsAsText = adapter.callsTools && parts.tools.length === 0;
    const pictures = await readHistoryPictures(turns, toolbox.readPictures);
    const sent = (text: string | undefined, newest: readonly HistoryTurn[]): number =>
      tokensIn(sentHistory(text, newest, { wireNames, callsAsText, pictures }).messages);
    const { model: name, contextWindow } = model;
    const note = (memories: readonly string[]): number =>
      textTokens([turnNote({ today: localDay(dependencies.now()), memories, isPlanning: false })]);
    const fixed = {
      system: textTokens([parts.system]) + note([]),
      instructions: textTokens(parts.instructions),
      tools: toolTokens(parts.tools),
      memory: parts.coreMemory === '' ? 0 : note([parts.coreMemory]) - note([]),
      recalled: turns.at(-1)?.recalled?.tokens ?? 0,
    };
    const besides = Object.values(fixed).reduce((sum, tokens) => sum + tokens, 0);
    return {
      ...(name !== undefined && { model: name }),
      ...(contextWindow !== undefined && { windowTokens: contextWindow }),
      budgetTokens: historyBudget(contextWindow, historyTokens, besides),
      ...fixed,
      summary: summary ? sent(summary.summary, []) : 0,
      history: sent(undefined, turns),
      messageCount: turns.reduce((sum, { messages }) => sum + messages.length, 0),
      toolCount: parts.tools.length,
    };
  });
}

/** Summarises all but the last messages now. `keep`: what the person wants in the summary above all. */
export async function compactSession(
  request: RunRequest & { keep?: string },
  dependencies: RunDependencies,
  signal: AbortSignal,
): Promise<CompactReport> {
  const compacted = await withSession(request, dependencies, signal, async (context): Promise<CompactReport> => {
    const { summary, turns } = context.turn.history;
    const kept = newestThatFit(turns, { tokens: 0, sizeOf: () => 1 });
    const messageCount = turns.reduce((sum, { messages }) => sum + messages.length, 0);
    if (kept === turns.length) return { kind: 'nothing', messageCount };
    const wireNames = { toWire: (name: string) => name, callToWire: <Call>(call: Call) => call };
    const options = { wireNames, callsAsText: false };
    const sizeOf = (text: string | undefined, newest: readonly HistoryTurn[]): number =>
      tokensIn(sentHistory(text, newest, options).messages);
    const working = compactTurns(context, {
      kept,
      keep: request.keep,
      budgetTokens: historyBudget(context.model.contextWindow, context.historyTokens),
    });
    for (;;) {
      const step = await working.next();
      if (!step.done) continue;
      const outcome = step.value;
      if (!outcome.ok) return { kind: 'refused', reason: outcome.reason };
      const tokensAfter = sizeOf(outcome.summary, turns.slice(-kept));
      return { kind: 'compacted', notice: outcome.notice, tokensBefore: sizeOf(summary?.summary, turns), tokensAfter };
    }
  });
  return compacted ?? { kind: 'nothing', messageCount: 0 };
}

type InspectContext = PromptContext & CompactContext;

async function withSession<T>(
  request: RunRequest,
  dependencies: RunDependencies,
  signal: AbortSignal,
  use: (context: InspectContext) => Promise<T>,
): Promise<T | undefined> {
  const { adapter, sessions, historyTokens } = dependencies;
  const { sessionKey } = request;
  if (!(await sessions.get(sessionKey))) return undefined;
  const model = await withWindow(await adapter.describe(request, signal), request, dependencies, signal);
  const turn = await sessions.begin({
    sessionKey,
    newSession: false,
    state: {},
    historyCharacters: charactersToRead(historyBudget(model.contextWindow, historyTokens)),
    signal,
  });
  try {
    return await use({
      ...dependencies,
      request,
      turn,
      model,
      ledger: createUsageLedger(),
      signal,
    });
  } finally {
    await turn.close();
  }
}
