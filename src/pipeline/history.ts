// The conversation before a turn, as it is sent to the model: the summary of what is older, then the turns. When they no longer
// fit the history budget, the older ones are summarised first, down to half of the budget, so that it happens seldom; where
// that fails the turn continues with the newest that fit. Either way the person sees a notice. A model whose summary could not be used
// is not asked for another before the conversation has grown: until then the same turns are sent, and nothing is said again.
import type { ModelMessage } from '../adapters/adapter.ts';
import { tokensIn } from '../adapters/request-size.ts';
import type { HistoryTurn } from '../sessions/history.ts';
import type { HistorySummaryLine } from '../sessions/lines.ts';
import { sourcesIn, taintOf } from '../sessions/lines.ts';
import type { Turn } from '../sessions/turn.ts';
import type { TaintSource } from '../vocabulary/taint-source.ts';
import { hasRoom } from './budget.ts';
import type { DayBudget } from './day-budget.ts';
import type { RunEvent } from './events.ts';
import { historyBudget, newestThatFit } from './history-budget.ts';
import { type HistoryMessagesOptions, historyMessages, readHistoryPictures } from './history-messages.ts';
import type { Summarised } from './summarise-history.ts';
import type { TurnContext } from './turn-context.ts';

export interface SentHistory {
  messages: ModelMessage[];
  /** How many of the first messages are the summary, which always stays. */
  pinned: number;
}

/** Of the budget, for the turns that stay as they are when older ones are summarised. */
const KEPT_SHARE = 0.5;
/** Of the budget, for what the person said and the model left out of its summary. */
const FACTS_SHARE = 0.15;
/** Of the budget: what a conversation must have grown by before another summary is asked for. */
const WAIT_SHARE = 0.25;

/** `besides`: about the tokens of everything else in the request, the question included. */
export async function* historyFor(
  context: CompactContext,
  { besides, ...given }: HistoryMessagesOptions & { besides: number },
): AsyncGenerator<RunEvent, SentHistory> {
  const { request, model, historyTokens } = context;
  const { summary, turns, hasOlder } = context.turn.history;
  const options = { ...given, pictures: await readHistoryPictures(turns, context.toolbox.readPictures) };
  const sizeOf = (turn: HistoryTurn): number => tokensIn(historyMessages([turn], options));
  const sent = (text: string | undefined, newest: readonly HistoryTurn[]): SentHistory =>
    sentHistory(text, newest, options);
  // Background work sees the end of its conversation and no more.
  if (request.historyMessages !== undefined) return lastSaid(turns, request.historyMessages, options);

  const budget = historyBudget(model.contextWindow, historyTokens, besides);
  const whole = sent(summary?.summary, turns);
  if (!hasOlder && tokensIn(whole.messages) <= budget) return whole;
  const waiting = sentWhileWaiting(context, sent);
  if (waiting && tokensIn(waiting.messages) <= waiting.until + budget * WAIT_SHARE) return waiting;
  const kept = newestThatFit(turns, { tokens: budget * KEPT_SHARE, sizeOf });
  if (kept === turns.length) {
    // The last few are so long that nothing before them is read back.
    const text = `the model does not see the messages before the last ${messagesIn(turns)}: these fill all that is read back of a conversation`;
    if (hasOlder) yield { type: 'notice', text, about: 'history' };
    return whole;
  }

  const compacted = yield* compactTurns(context, { kept, budgetTokens: budget });
  if (compacted.ok) {
    yield { type: 'notice', text: compacted.notice, about: 'history' };
    return sent(compacted.summary, turns.slice(-kept));
  }
  const { reason, unusable } = compacted;
  const room = budget - tokensIn(sent(summary?.summary, []).messages);
  const fitting = newestThatFit(turns, { tokens: unusable ? room - budget * WAIT_SHARE : room, sizeOf });
  const newest = sent(summary?.summary, turns.slice(-fitting));
  const { turnId: keptFrom } = turns.at(-fitting) ?? {};
  const waits = unusable && keptFrom !== undefined;
  if (waits)
    await context.turn.recordRefusal({ reason, model: model.model, keptFrom, sentTokens: tokensIn(newest.messages) });
  const leftOut = messagesIn(turns.slice(0, -fitting));
  const unseen =
    leftOut === 0 && !hasOlder
      ? ''
      : `; the model does not see the ${leftOut} messages before the last ${messagesIn(turns.slice(-fitting))}`;
  const again = waits
    ? `. A summary is tried again after about ${Math.round(budget * WAIT_SHARE)} more tokens; /compact tries now`
    : ' in this turn';
  const text = `the older part of this conversation could not be summarised: ${reason}${unseen}${waits || unseen ? again : ''}`;
  yield { type: 'notice', text, about: 'history' };
  return newest;
}

/** What is sent since a summary of this model could not be used, and the size it had then. */
function sentWhileWaiting(
  { turn: { history }, model }: CompactContext,
  sent: (summary: string | undefined, newest: readonly HistoryTurn[]) => SentHistory,
): (SentHistory & { until: number }) | undefined {
  const { summary, refusal, turns } = history;
  if (!refusal || refusal.model !== model.model) return undefined;
  const first = turns.findIndex(({ turnId }) => turnId === refusal.keptFrom);
  if (first < 0) return undefined;
  return { ...sent(summary?.summary, turns.slice(first)), until: refusal.sentTokens };
}

/** The last so many questions and answers. Where they begin with an answer, it is sent as a question: a provider wants a question first. */
function lastSaid(turns: readonly HistoryTurn[], count: number, options: HistoryMessagesOptions): SentHistory {
  const whole = Math.floor(count / 2);
  const { messages } = sentHistory(undefined, turns.slice(-whole), options);
  const before = count % 2 === 1 ? turns.at(-whole - 1) : undefined;
  const answer = before?.messages.findLast(({ role }) => role === 'assistant')?.content.trim();
  if (!answer) return { messages, pinned: 0 };
  return {
    messages: [{ role: 'user', text: `<earlier-answer>\n${answer}\n</earlier-answer>` }, ...messages],
    pinned: 0,
  };
}

/** A summary, when there is one, and the turns after it. */
export function sentHistory(
  summary: string | undefined,
  turns: readonly HistoryTurn[],
  options: HistoryMessagesOptions,
): SentHistory {
  const pinned = summary === undefined ? [] : summaryMessages(summary);
  return { messages: [...pinned, ...historyMessages(turns, options)], pinned: pinned.length };
}

export type CompactContext = Pick<
  TurnContext,
  | 'turn'
  | 'request'
  | 'toolbox'
  | 'model'
  | 'historyTokens'
  | 'adapter'
  | 'budget'
  | 'ledger'
  | 'signal'
  | 'conversationCompacted'
>;

export type Compacted =
  | { ok: true; summary: string; notice: string }
  | { ok: false; reason: string; unusable: boolean };

/** Summarises all but the newest `kept` turns and records it. */
export async function* compactTurns(
  context: CompactContext,
  { kept, keep, budgetTokens }: { kept: number; keep?: string; budgetTokens: number },
): AsyncGenerator<RunEvent, Compacted> {
  const { turn, request, model, adapter, ledger, signal } = context;
  const { summary: previous, turns, hasOlder } = turn.history;
  const older = turns.slice(0, -kept);
  // Rarely needed, and not on the way of an ask that starts.
  const [{ summariseHistory }, { keepFacts }] = await Promise.all([
    import('./summarise-history.ts'),
    import('./keep-facts.ts'),
  ]);
  const summarised: Summarised = yield* summariseHistory({
    adapter,
    model: model.model,
    profileId: request.profileId ?? model.profileId,
    sessionId: turn.entry.sessionId,
    previous: previous?.summary,
    turns: older,
    keep,
    contextWindow: model.contextWindow,
    budgetTokens,
    reserve: (tokens) => reserveFor(context, tokens),
    spent: (usage) => ledger.add(usage),
    signal,
  });
  signal.throwIfAborted();
  if (!summarised.ok) return summarised;
  const facts = { turns: older, previous: previous?.summary, tokens: budgetTokens * FACTS_SHARE };
  const text = keepFacts({ summary: summarised.text, ...facts });
  const range = rangeOf(turn, { kept: turns.slice(-kept), older, previous, hasOlder });
  const taintedBy = [...new Set([...(previous ? taintOf(previous) : []), ...older.flatMap(taintOfTurn)])];
  await turn.recordSummary({
    ...range,
    keptFrom: turns[turns.length - kept]?.turnId,
    summary: text,
    by: summarised.by,
    ...(taintedBy.length > 0 && { tainted: true as const, taintedBy }),
  });
  if (turn.entry.memoryEnabled) await context.conversationCompacted(turn.entry.sessionId);
  const { fromMessage, throughMessage } = range;
  const missing =
    hasOlder && fromMessage > 1
      ? `; the ${fromMessage - 1} messages before them are too many to be read again and are not in the summary`
      : '';
  const notice = `messages ${fromMessage} to ${throughMessage} of this conversation were summarised to make room; they stay in the transcript${missing}`;
  return { ok: true, summary: text, notice };
}

/** Room in the caps for one more question of about so many tokens. */
export async function reserveFor(
  { request: { caps }, budget, ledger, signal }: Pick<TurnContext, 'request' | 'budget' | 'ledger' | 'signal'>,
  tokens: number,
): ReturnType<DayBudget['reserve']> {
  if (hasRoom(tokens, { usage: ledger.spent(), caps, room: await budget.room(caps) }))
    return budget.reserve(caps, () => tokens, signal);
  return { refused: 'the spending caps leave no room for a summary' };
}

interface Parts {
  kept: readonly HistoryTurn[];
  older: readonly HistoryTurn[];
  previous?: HistorySummaryLine;
  hasOlder: boolean;
}

function rangeOf(
  turn: Turn,
  { kept, older, previous, hasOlder }: Parts,
): { fromMessage: number; throughMessage: number } {
  const throughMessage = turn.messageCount() - turn.ownMessages().length - messagesIn(kept);
  if (hasOlder) return { fromMessage: throughMessage - messagesIn(older) + 1, throughMessage };
  return { fromMessage: previous?.fromMessage ?? 1, throughMessage };
}

/** As the first two messages, so that roles alternate. */
function summaryMessages(summary: string): ModelMessage[] {
  const text = `<conversation-summary>\nThis conversation began earlier. What was said before the following messages, summarised:\n\n${summary}\n</conversation-summary>`;
  return [
    { role: 'user', text },
    { role: 'assistant', text: 'I continue from this summary.', toolCalls: [] },
  ];
}

function messagesIn(turns: readonly HistoryTurn[]): number {
  return turns.reduce((sum, { messages }) => sum + messages.length, 0);
}

function taintOfTurn({ tainted, taintedBy, calls }: HistoryTurn): TaintSource[] {
  return [...sourcesIn({ tainted, taintedBy }), ...calls.flatMap(({ result }) => sourcesIn(result?.meta ?? {}))];
}
