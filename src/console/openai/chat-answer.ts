// The answer to POST /v1/chat/completions: whole, or in chunks.
import type { ServerResponse } from 'node:http';
import { newId } from '../../lib/new-id.ts';
import { ApiError, apiErrorOf } from './api-error.ts';
import type { ApiAnswer, ApiTurn } from './api-turn.ts';
import { sendWhole, startEvents } from './send.ts';

export async function answerChat(turn: ApiTurn, response: ServerResponse, created: number): Promise<void> {
  const answer = await wholeAnswer(turn);
  const { text, calls } = answer;
  const message = {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    refusal: null,
    ...(calls.length > 0 && { tool_calls: calls.map(toolCall) }),
  };
  sendWhole(response, {
    id: newId('chatcmpl'),
    object: 'chat.completion',
    created,
    model: turn.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishReason(answer) }],
    usage: usageOf(answer),
  });
}

export async function streamChat(
  turn: ApiTurn,
  response: ServerResponse,
  { created, includesUsage, onDefect }: { created: number; includesUsage: boolean; onDefect(error: unknown): void },
): Promise<void> {
  const facts = { id: newId('chatcmpl'), object: 'chat.completion.chunk', created, model: turn.model };
  const send = startEvents(response);
  const chunk = (delta: object, finish: string | null = null): void =>
    send({ ...facts, choices: [{ index: 0, delta, logprobs: null, finish_reason: finish }] });
  chunk({ role: 'assistant', content: '' });
  try {
    let step = await turn.pieces.next();
    for (; !step.done; step = await turn.pieces.next()) {
      const { type, text } = step.value;
      chunk(type === 'text' ? { content: text } : { reasoning_content: text });
    }
    const { calls } = step.value;
    if (calls.length > 0) chunk({ tool_calls: calls.map((call, index) => ({ index, ...toolCall(call) })) });
    chunk({}, finishReason(step.value));
    if (includesUsage) send({ ...facts, choices: [], usage: usageOf(step.value) });
    response.end('data: [DONE]\n\n');
  } catch (error) {
    const told = apiErrorOf(error);
    if (!told) onDefect(error);
    send((told ?? new ApiError(500, 'internal', 'the gateway failed: its log tells why')).body());
    response.end();
  }
}

/** Reads a turn to its end. */
export async function wholeAnswer({ pieces }: ApiTurn): Promise<ApiAnswer> {
  let step = await pieces.next();
  while (!step.done) step = await pieces.next();
  return step.value;
}

function toolCall({ id, name, args }: ApiAnswer['calls'][number]) {
  return { id, type: 'function', function: { name, arguments: JSON.stringify(args) } };
}

function finishReason({ calls, isCut }: ApiAnswer): string {
  if (calls.length > 0) return 'tool_calls';
  return isCut ? 'length' : 'stop';
}

function usageOf({ usage: { input, output, cached } }: ApiAnswer) {
  return {
    prompt_tokens: input,
    completion_tokens: output,
    total_tokens: input + output,
    prompt_tokens_details: { cached_tokens: cached },
  };
}
