// How much of a conversation a model is sent: as many turns as fit half of its context window, and no more than the owner
// wants to pay for with every turn; never less than the last messages.

import { LEAST_MESSAGES } from '../sessions/conversation.ts';
import type { HistoryTurn } from '../sessions/history.ts';
import { ANSWER_SHARE } from './fit-context.ts';

export const DEFAULT_HISTORY_TOKENS = 64_000;

/** Of a model that nobody knows: a smaller one says so, and is then sent less. */
const ASSUMED_WINDOW = 128_000;
/** What lies beyond the budget is read as well, as far as one summary can take it in. */
const READ_SHARE = 3;
const CHARACTERS_PER_TOKEN = 4;
/** Of the window, also where tools and instructions leave less: what then does not fit is left out, which is said. */
const LEAST_SHARE = 0.1;
const MOST_CHARACTERS = 2_000_000;
/** With a small budget too, more is read than the last messages: what is not read cannot be summarised. */
const FEWEST_CHARACTERS = 200_000;

/** `besides`: about the tokens of everything else in the request. */
export function historyBudget(
  contextWindow = ASSUMED_WINDOW,
  historyTokens = DEFAULT_HISTORY_TOKENS,
  besides = 0,
): number {
  const room = Math.max(contextWindow * LEAST_SHARE, contextWindow * (1 - ANSWER_SHARE) - besides);
  return Math.floor(Math.min(contextWindow / 2, historyTokens, room));
}

/** How far back the transcript is read for a history of this many tokens. */
export function charactersToRead(budgetTokens: number): number {
  const wanted = budgetTokens * READ_SHARE * CHARACTERS_PER_TOKEN;
  return Math.min(MOST_CHARACTERS, Math.max(FEWEST_CHARACTERS, wanted));
}

/**
 * How many of the newest turns fit: as many as the tokens allow, and at least those with the last messages. A turn is never
 * parted from the one that continues it.
 */
export function newestThatFit(
  turns: readonly HistoryTurn[],
  { tokens, sizeOf }: { tokens: number; sizeOf(turn: HistoryTurn): number },
): number {
  let used = 0;
  let messages = 0;
  let fitting = 0;
  for (let count = 1; count <= turns.length; count += 1) {
    const turn = turns[turns.length - count] as HistoryTurn;
    used += sizeOf(turn);
    if (used > tokens && messages >= LEAST_MESSAGES) break;
    messages += turn.messages.length;
    if (turn.continues === undefined) fitting = count;
  }
  return fitting === 0 ? turns.length : fitting;
}
