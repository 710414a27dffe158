// One model call: its events pass on to the reader, its parts are gathered into an answer.
import type { Adapter, AnsweredBy, ModelFailure, ModelRequest, ModelToolCall, WebSource } from '../adapters/adapter.ts';
import { tokensOf } from '../adapters/request-size.ts';
import { monotonicMs } from '../lib/monotonic.ts';
import type { Usage } from '../vocabulary/usage.ts';
import type { ContextSize } from './context-size.ts';
import type { RunEvent } from './events.ts';

export interface Answer {
  text: string;
  calls: ModelToolCall[];
  /** What the provider's own search found. */
  sources?: readonly WebSource[];
  /** The answer ends at the model's length limit. */
  isCut?: boolean;
  usage?: Usage;
  /** The conversation with this answer. */
  context?: ContextSize;
  native?: unknown;
  answeredBy?: AnsweredBy;
  failure?: ModelFailure;
}

export async function* askModel(
  adapter: Adapter,
  request: ModelRequest,
  signal: AbortSignal,
  /** Of the request, where it is the conversation's own. */
  context?: ContextSize,
): AsyncGenerator<RunEvent, Answer> {
  const { provider } = adapter;
  const { model } = request;
  const started = monotonicMs();
  yield { type: 'model-start', provider, ...(model !== undefined && { model }) };
  const read = yield* readAnswer(adapter, request, signal);
  const { usage, failure } = read;
  const answer: Answer = { ...read, ...(context && !failure && { context: withAnswer(context, read) }) };
  const answered = answer.answeredBy ?? { provider, model };
  yield {
    type: 'model-end',
    provider: answered.provider,
    ...(answered.model !== undefined && { model: answered.model }),
    ...(usage && { usage }),
    durationMs: Math.round(monotonicMs() - started),
    ...(answer.context && { context: answer.context }),
    ...(failure && { failure: { code: failure.code, message: failure.message } }),
  };
  return answer;
}

function withAnswer(context: ContextSize, { text, calls }: Answer): ContextSize {
  return { ...context, tokens: context.tokens + tokensOf({ role: 'assistant', text, toolCalls: calls }) };
}

async function* readAnswer(
  adapter: Adapter,
  request: ModelRequest,
  signal: AbortSignal,
): AsyncGenerator<RunEvent, Answer> {
  let answer: Answer = { text: '', calls: [] };
  for await (const event of adapter.stream(request, signal)) {
    switch (event.type) {
      case 'text-delta':
        answer.text += event.text;
        yield { type: 'text-delta', text: event.text };
        break;
      case 'thinking-delta':
        yield { type: 'thinking-delta', text: event.text };
        break;
      case 'restart':
        answer = { text: '', calls: [] };
        yield { type: 'text-restart', reason: event.failure.brief ?? event.failure.message, waitMs: event.waitMs };
        break;
      case 'notice':
        yield { type: 'notice', text: event.text };
        break;
      case 'tool-call':
        answer.calls.push(event.call);
        break;
      case 'sources':
        answer.sources = event.sources;
        break;
      case 'finish':
        if (event.reason === 'length')
          yield { type: 'notice', text: 'the answer was cut at the length limit of the model' };
        return {
          ...answer,
          ...(event.reason === 'length' && { isCut: true }),
          usage: event.usage,
          native: event.native,
          answeredBy: event.answeredBy,
        };
      case 'failure':
        return { ...answer, usage: event.usage, failure: event.failure };
    }
  }
  return { ...answer, failure: { code: 'protocol', message: `${adapter.provider} ended its answer without a finish` } };
}
