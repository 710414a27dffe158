// About how many tokens a request is, counted the same way wherever a window is compared with it: when messages are left out,
// in `/context`, in the chat's meter, and when a service refuses a request as too long.
import { estimateTokens } from '../lib/estimate-tokens.ts';
import type { ModelMessage, ModelRequest } from './adapter.ts';

/** What is sent besides the messages. */
export type FixedParts = Pick<ModelRequest, 'system' | 'tools' | 'turnNote'>;

/** About what the large providers count for one of usual size. */
const PICTURE_TOKENS = 1_500;

/** Tools and messages are never changed once they are made: of those that every turn sends again, the long ones are counted once. */
const counted = new WeakMap<object, number>();
const LONG_TEXT = 500;

export function sizeOf(fixed: FixedParts, messages: readonly ModelMessage[]): number {
  return fixedTokens(fixed) + tokensIn(messages);
}

export function fixedTokens({ system, tools, turnNote = '' }: FixedParts): number {
  return textTokens(system) + toolTokens(tools) + estimateTokens(turnNote);
}

export function textTokens(texts: readonly string[]): number {
  return texts.reduce((sum, text) => sum + estimateTokens(text), 0);
}

export function toolTokens(tools: ModelRequest['tools']): number {
  return tools.length === 0 ? 0 : countedOnce(tools, () => estimateTokens(JSON.stringify(tools)));
}

export function tokensIn(messages: readonly ModelMessage[]): number {
  let sum = 0;
  for (const message of messages) sum += tokensOf(message);
  return sum;
}

export function tokensOf(message: ModelMessage | undefined): number {
  if (!message) return 0;
  const isLong = message.text.length > LONG_TEXT || (message.role === 'assistant' && message.toolCalls.length > 0);
  return isLong ? countedOnce(message, () => countTokens(message)) : countTokens(message);
}

function countedOnce(value: object, count: () => number): number {
  const known = counted.get(value) ?? count();
  counted.set(value, known);
  return known;
}

function countTokens(message: ModelMessage): number {
  const calls =
    message.role === 'assistant' && message.toolCalls.length > 0
      ? estimateTokens(JSON.stringify(message.toolCalls))
      : 0;
  const images = message.role === 'assistant' ? 0 : (message.images?.length ?? 0);
  return estimateTokens(message.text) + calls + images * PICTURE_TOKENS + 4;
}
