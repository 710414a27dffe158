// The library's events in the contract's words. Text flows as it comes; calls are held back until the finish marker
// has arrived, so a stream that breaks off never shows one. Ends with exactly one `finish` or `failure`.
import type { AssistantMessage, AssistantMessageEvent } from '@earendil-works/pi-ai';
import type { Usage } from '../../vocabulary/usage.ts';
import type { ModelEvent, ModelFailure } from '../adapter.ts';
import type { LibraryError } from './failure.ts';
import { separator, textOf, toNative } from './native.ts';
import { readCalls } from './tool-calls.ts';
import type { Seen } from './wire.ts';

export interface ReplyOptions {
  seen: Seen;
  /** Whether the model's price is known: a price of zero would be a lie. */
  priced: boolean;
  /** Ids of calls made earlier in the conversation. */
  usedIds: Iterable<string>;
  explain(error: LibraryError): ModelFailure;
}

export async function* toModelEvents(
  events: AsyncIterable<AssistantMessageEvent>,
  { seen, priced, usedIds, explain }: ReplyOptions,
): AsyncGenerator<ModelEvent> {
  const text = createTextFlow();
  const rawDeltas = new Map<number, string>();

  for await (const event of events) {
    switch (event.type) {
      case 'text_delta':
        yield* text.add(event.contentIndex, event.delta);
        break;
      case 'text_end':
        yield* text.complete(event.contentIndex, event.content);
        break;
      case 'thinking_delta':
        if (event.delta !== '') yield { type: 'thinking-delta', text: event.delta };
        break;
      case 'toolcall_delta':
        rawDeltas.set(event.contentIndex, (rawDeltas.get(event.contentIndex) ?? '') + event.delta);
        break;
      case 'done':
        yield* finish(event.message);
        return;
      case 'error': {
        const { errorMessage, rawStopReason, usage } = event.error;
        const failure = explain({ message: errorMessage, stopReason: rawStopReason });
        yield { type: 'failure', failure, ...withUsage(usage, priced) };
        return;
      }
      default:
        break;
    }
  }
  yield { type: 'failure', failure: explain({}) };

  function* finish(message: AssistantMessage): Generator<ModelEvent> {
    const raw = {
      of: (call: { id: string }, index: number) => seen.rawArguments.get(call.id) ?? rawDeltas.get(index),
    };
    const isWhole = message.stopReason !== 'length';
    const { calls, content } = readCalls(message.content, { raw, complete: isWhole, usedIds });
    for (const call of calls) yield { type: 'tool-call', call };
    const reason = !isWhole ? 'length' : calls.length > 0 ? 'tool-calls' : 'stop';
    // Blocks whose text differs from what was streamed would not be believed when they come back.
    const native = textOf(content) === text.all() ? { native: toNative(message, content) } : {};
    yield { type: 'finish', reason, ...withUsage(message.usage, priced), ...native };
  }
}

interface TextFlow {
  add(block: number, delta: string): Generator<ModelEvent>;
  /** Some servers send a text only when it is whole. */
  complete(block: number, content: string): Generator<ModelEvent>;
  all(): string;
}

function createTextFlow(): TextFlow {
  let all = '';
  let current: number | undefined;
  const streamed = new Map<number, string>();

  function* add(block: number, delta: string): Generator<ModelEvent> {
    if (delta === '') return;
    const between = block === current ? '' : separator(all);
    current = block;
    all += between + delta;
    streamed.set(block, (streamed.get(block) ?? '') + delta);
    yield { type: 'text-delta', text: between + delta };
  }

  return {
    add,
    *complete(block, content) {
      const before = streamed.get(block) ?? '';
      if (content.startsWith(before)) yield* add(block, content.slice(before.length));
    },
    all: () => all,
  };
}

function withUsage(usage: AssistantMessage['usage'], priced: boolean): { usage?: Usage } {
  const inputTokens = usage.input + usage.cacheRead + usage.cacheWrite;
  if (inputTokens === 0 && usage.output === 0) return {};
  const cached = usage.cacheRead > 0 ? { cachedTokens: usage.cacheRead } : {};
  const cost = priced ? { costUsd: usage.cost.total } : {};
  return { usage: { inputTokens, outputTokens: usage.output, ...cached, ...cost } };
}
