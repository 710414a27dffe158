// The conversation before a turn, as it is sent to the model.
import type { ModelMessage } from '../adapters/adapter.ts';
import type { RunEvent } from './events.ts';
import { historyBudget, newestThatFit, newestTurns, tokensIn } from './history-budget.ts';
import { type HistoryMessagesOptions, historyMessages } from './history-messages.ts';
import type { TurnContext } from './run.ts';

export interface SentHistory {
  messages: ModelMessage[];
  /** How many of the first messages stand for what is older, and always stay. */
  pinned: number;
}

export async function* historyFor(
  { turn, request, model, historyTokens }: TurnContext,
  options: HistoryMessagesOptions,
): AsyncGenerator<RunEvent, SentHistory> {
  const turns = newestTurns(turn.history.turns, request.historyTurns);
  const tokens = historyBudget(model.contextWindow, historyTokens);
  const sizeOf = (one: (typeof turns)[number]): number => tokensIn(historyMessages([one], options));
  const kept = newestThatFit(turns, { tokens, sizeOf });
  const leftOut = turns.length - kept;
  if (leftOut > 0)
    yield { type: 'notice', text: `the ${leftOut} oldest turns of this conversation no longer fit and are left out` };
  return { messages: historyMessages(turns.slice(leftOut), options), pinned: 0 };
}
