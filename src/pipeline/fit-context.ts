// Keeps what is sent within the model's context window. The oldest tool results go first (the call stays, its result is
// replaced by a note), then the oldest turns of the conversation. It never parts a call from its result, and never drops
// the summary that a conversation begins with, nor the question of this turn: what is left may then still be too long, and
// the provider will say so.
import type { ModelMessage } from '../adapters/adapter.ts';
import { type FixedParts, fixedTokens, tokensIn, tokensOf } from '../adapters/request-size.ts';

const DROPPED = '[this result was dropped to fit the context window]';
/** Left free for the answer. */
export const ANSWER_SHARE = 0.2;

export interface FitOptions {
  messages: readonly ModelMessage[];
  /** Index of this turn's question; everything before it is history. */
  questionAt: number;
  /** How many of the first messages always stay. */
  pinned?: number;
  contextWindow: number;
  request: FixedParts;
}

export interface Fitted {
  messages: ModelMessage[];
  questionAt: number;
  /** How many results and messages were left out. */
  dropped: number;
  /** About the size of the whole request. */
  tokens: number;
}

export function fitContext({ messages, questionAt, pinned = 0, contextWindow, request }: FitOptions): Fitted {
  const fixed = fixedTokens(request);
  const budget = contextWindow * (1 - ANSWER_SHARE) - fixed;
  const fitted = [...messages];
  let total = tokensIn(fitted);
  let dropped = 0;
  if (total <= budget) return { messages: fitted, questionAt, dropped, tokens: fixed + total };

  for (const [index, message] of fitted.entries()) {
    if (total <= budget) break;
    if (message.role !== 'tool' || (message.text.length <= DROPPED.length && !message.images)) continue;
    const { images: _, ...rest } = message;
    const shorter = { ...rest, text: DROPPED };
    total -= tokensOf(message) - tokensOf(shorter);
    fitted[index] = shorter;
    dropped += 1;
  }
  let first = pinned;
  // Each turn begins with a user's message.
  const isWithinTurn = (index: number): boolean => index > pinned && fitted[index]?.role !== 'user';
  for (; first < questionAt && (total > budget || isWithinTurn(first)); first += 1) {
    total -= tokensOf(fitted[first]);
    dropped += 1;
  }
  const left = [...fitted.slice(0, pinned), ...fitted.slice(first)];
  return { messages: left, questionAt: questionAt - (first - pinned), dropped, tokens: fixed + total };
}

/** A window in which half of these messages fit. */
export function windowForHalf(request: FixedParts, messages: readonly ModelMessage[]): number {
  return (fixedTokens(request) + tokensIn(messages) / 2) / (1 - ANSWER_SHARE);
}
