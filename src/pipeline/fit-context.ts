// Keeps what is sent within the model's context window. The oldest tool results go first (the call stays, its result is
// replaced by a note), then the oldest turns of the conversation. It never parts a call from its result, and never drops
// the summary that a conversation begins with, nor the question of this turn: what is left may then still be too long, and
// the provider will say so.
import type { ModelMessage, ModelRequest } from '../adapters/adapter.ts';
import { estimateTokens } from '../lib/estimate-tokens.ts';

const DROPPED = '[this result was dropped to fit the context window]';
/** About what the large providers count for one of usual size. */
const PICTURE_TOKENS = 1_500;
/** Left free for the answer. */
const ANSWER_SHARE = 0.2;

export interface FitOptions {
  messages: readonly ModelMessage[];
  /** Index of this turn's question; everything before it is history. */
  questionAt: number;
  /** How many of the first messages always stay. */
  pinned?: number;
  contextWindow: number;
  /** What is sent besides: the system text, the tools and the turn's note. */
  request: Pick<ModelRequest, 'system' | 'tools' | 'turnNote'>;
}

export interface Fitted {
  messages: ModelMessage[];
  questionAt: number;
  /** How many results and messages were left out. */
  dropped: number;
}

export function fitContext({ messages, questionAt, pinned = 0, contextWindow, request }: FitOptions): Fitted {
  const budget = contextWindow * (1 - ANSWER_SHARE) - sizeOf(request, []);
  const fitted = [...messages];
  let total = fitted.reduce((sum, message) => sum + tokensOf(message), 0);
  let dropped = 0;
  if (total <= budget) return { messages: fitted, questionAt, dropped };

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
  return { messages: left, questionAt: questionAt - (first - pinned), dropped };
}

/** A window in which half of these messages fit. */
export function windowForHalf(request: FitOptions['request'], messages: readonly ModelMessage[]): number {
  const fixed = sizeOf(request, []);
  return (fixed + (sizeOf(request, messages) - fixed) / 2) / (1 - ANSWER_SHARE);
}

/** About how many tokens a request is. */
export function sizeOf(
  { system, tools, turnNote = '' }: FitOptions['request'],
  messages: readonly ModelMessage[],
): number {
  const fixed = estimateTokens(`${system.join('\n')}\n${turnNote}`) + estimateTokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + tokensOf(message), fixed);
}

export function tokensOf(message: ModelMessage | undefined): number {
  if (!message) return 0;
  const calls =
    message.role === 'assistant' && message.toolCalls.length > 0
      ? estimateTokens(JSON.stringify(message.toolCalls))
      : 0;
  const images = message.role === 'assistant' ? 0 : (message.images?.length ?? 0);
  return estimateTokens(message.text) + calls + images * PICTURE_TOKENS + 4;
}
