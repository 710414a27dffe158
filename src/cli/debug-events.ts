// What `--debug` shows: beside the events of a turn, one line for each model call, tool call and the turn itself, with its time
// and what it used. The lines are notices, so they go wherever notices go, and never into the answer.
import { counted } from '../lib/counted.ts';
import { monotonicMs } from '../lib/monotonic.ts';
import type { RunEvent } from '../pipeline/events.ts';
import type { Usage } from '../vocabulary/usage.ts';

export async function* withDebug(events: AsyncIterable<RunEvent>): AsyncGenerator<RunEvent> {
  const started = monotonicMs();
  let modelCalls = 0;
  for await (const event of events) {
    if (event.type === 'model-end') modelCalls += 1;
    const text = lineFor(event, { modelCalls, durationMs: monotonicMs() - started });
    if (text !== undefined) yield { type: 'notice', text: `debug: ${text}` };
    yield event;
  }
}

function lineFor(event: RunEvent, turn: { modelCalls: number; durationMs: number }): string | undefined {
  switch (event.type) {
    case 'run-start':
      return `turn ${event.turnId} of the session ${event.sessionKey}`;
    case 'model-start':
      return `asking ${modelName(event)}`;
    case 'model-end':
      return `${modelName(event)} ${event.failure ? `failed (${event.failure.code})` : 'answered'} after ${rounded(event.durationMs)} ms${usedBy(event.usage)}`;
    case 'tool-end': {
      const { name, id } = event.call;
      const outcome = event.result.ok ? 'ended' : `failed (${event.result.error.code})`;
      return `${name} ${id} ${outcome} after ${rounded(event.result.meta.durationMs)} ms`;
    }
    case 'run-end': {
      const { stage, toolCalls, usage, sessionId } = event.result;
      return `the turn ended (${stage}) after ${rounded(turn.durationMs)} ms: ${counted(turn.modelCalls, 'model call')}, ${counted(toolCalls.length, 'tool call')}${usedBy(usage)}; session ${sessionId}`;
    }
    default:
      return undefined;
  }
}

function modelName({ provider, model }: { provider: string; model?: string }): string {
  return model === undefined ? provider : `${provider}/${model}`;
}

function usedBy(usage: Usage | undefined): string {
  if (!usage) return '';
  const cached = usage.cachedTokens ? `, ${usage.cachedTokens} of them cached` : '';
  const cost = usage.costUsd === undefined ? '' : `, $${usage.costUsd.toFixed(4)}`;
  return `; ${usage.inputTokens} tokens in${cached}, ${usage.outputTokens} out${cost}`;
}

function rounded(ms: number): number {
  return Math.round(ms * 10) / 10;
}
