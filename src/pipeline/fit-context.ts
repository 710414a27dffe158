// Keeps what is sent within the model's context window. The oldest tool results go first (the call stays, its result is
// replaced by a note), then the oldest messages of the conversation. It never breaks a call from its result, and never
// drops the question of this turn: what is left may then still be too long, and the provider will say so.
import type { ModelMessage, ModelRequest } from '../adapters/adapter.ts';
import { estimateTokens } from '../lib/estimate-tokens.ts';
import { isToolResults } from './prompt.ts';

const DROPPED = '[this result was dropped to fit the context window]';
/** Left free for the answer. */
const ANSWER_SHARE = 0.2;

export interface FitOptions {
  messages: readonly ModelMessage[];
  /** Index of this turn's question; everything before it is history. */
  questionAt: number;
  contextWindow: number;
  /** What is sent besides: the system text and the tools. */
  request: Pick<ModelRequest, 'system' | 'tools'>;
}

export interface Fitted {
  messages: ModelMessage[];
  questionAt: number;
  /** How many results and messages were left out. */
  dropped: number;
}

export function fitContext({ messages, questionAt, contextWindow, request }: FitOptions): Fitted {
  const budget = contextWindow * (1 - ANSWER_SHARE) - sizeOf(request, []);
  const fitted = [...messages];
  let total = fitted.reduce((sum, message) => sum + tokensOf(message), 0);
  let dropped = 0;
  if (total <= budget) return { messages: fitted, questionAt, dropped };

  for (const [index, message] of fitted.entries()) {
    if (total <= budget) break;
    if (!isToolResults(message) || message.text.length <= DROPPED.length) continue;
    const shorter = { ...message, text: DROPPED };
    total -= tokensOf(message) - tokensOf(shorter);
    fitted[index] = shorter;
    dropped += 1;
  }
  let first = 0;
  // History holds no calls, so any prefix of it can go, as long as what is left begins with a user's words.
  const isAnswer = (index: number): boolean => index > 0 && fitted[index]?.role === 'assistant';
  for (; first < questionAt && (total > budget || isAnswer(first)); first += 1) {
    total -= tokensOf(fitted[first]);
    dropped += 1;
  }
  return { messages: fitted.slice(first), questionAt: questionAt - first, dropped };
}

/** A window in which half of these messages fit. */
export function windowForHalf(request: FitOptions['request'], messages: readonly ModelMessage[]): number {
  const fixed = sizeOf(request, []);
  return (fixed + (sizeOf(request, messages) - fixed) / 2) / (1 - ANSWER_SHARE);
}

/** About how many tokens a request is. */
export function sizeOf({ system, tools }: FitOptions['request'], messages: readonly ModelMessage[]): number {
  const fixed = estimateTokens(system.join('\n')) + estimateTokens(JSON.stringify(tools));
  return messages.reduce((sum, message) => sum + tokensOf(message), fixed);
}

function tokensOf(message: ModelMessage | undefined): number {
  if (!message) return 0;
  const calls =
    message.role === 'assistant' && message.toolCalls.length > 0
      ? estimateTokens(JSON.stringify(message.toolCalls))
      : 0;
  return estimateTokens(message.text) + calls + 4;
}
