// What the turns of this process add up to, for Prometheus: how they ended, how long they and the model took, tokens, cost and tool calls.
import type { RunEvent } from '../../../pipeline/events.ts';
import type { TurnFacts, TurnSummary, TurnWatcher } from '../../turns/turn-hub.ts';
import type { Exposition } from './exposition.ts';

const SECONDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 900];

interface RunningTurn {
  startedAt: number;
  hasText: boolean;
}

/** `monotonicMs`: a clock that is never set. */
export function createTurnMetrics(exposition: Exposition, monotonicMs: () => number): TurnWatcher {
  const running = new Map<string, RunningTurn>();
  const turns = exposition.counter('lainclaw_turns_total', 'Turns that have ended, by how they ended.');
  const turnSeconds = exposition.histogram('lainclaw_turn_seconds', 'Duration of turns.', SECONDS);
  const firstText = exposition.histogram(
    'lainclaw_first_text_seconds',
    'Time from the start of a turn to the first text of its answer.',
    SECONDS,
  );
  const modelSeconds = exposition.histogram('lainclaw_model_call_seconds', 'Duration of model calls.', SECONDS);
  const modelCalls = exposition.counter('lainclaw_model_calls_total', 'Model calls that have ended.');
  const tokens = exposition.counter(
    'lainclaw_tokens_total',
    'Tokens of model calls; cached ones are part of the input.',
  );
  const cost = exposition.counter('lainclaw_cost_usd_total', 'Cost of model calls whose price is known.');
  const tools = exposition.counter('lainclaw_tool_calls_total', 'Tool calls that have ended.');
  const seconds = ({ startedAt }: RunningTurn): number => (monotonicMs() - startedAt) / 1_000;

  function countModelCall({ provider, usage, durationMs, failure }: Extract<RunEvent, { type: 'model-end' }>): void {
    modelCalls.add({ provider, outcome: failure ? 'failed' : 'ok' });
    modelSeconds.observe({ provider }, durationMs / 1_000);
    if (!usage) return;
    tokens.add({ provider, kind: 'input' }, usage.inputTokens);
    tokens.add({ provider, kind: 'output' }, usage.outputTokens);
    if (usage.cachedTokens !== undefined) tokens.add({ provider, kind: 'cached' }, usage.cachedTokens);
    if (usage.costUsd !== undefined) cost.add({ provider }, usage.costUsd);
  }

  return {
    onEvent({ id }: TurnFacts, number: number, event: RunEvent) {
      if (number === 1) running.set(id, { startedAt: monotonicMs(), hasText: false });
      const turn = running.get(id);
      if (event.type === 'text-delta' && turn && !turn.hasText) {
        turn.hasText = true;
        firstText.observe({}, seconds(turn));
      } else if (event.type === 'model-end') countModelCall(event);
      else if (event.type === 'tool-end')
        tools.add({ tool: toolOf(event), outcome: event.result.ok ? 'ok' : 'failed' });
    },
    onEnd({ id, stage, provider }: TurnSummary) {
      const turn = running.get(id);
      running.delete(id);
      turns.add({ provider, stage: stage ?? 'failed' });
      if (turn) turnSeconds.observe({ stage: stage ?? 'failed' }, seconds(turn));
    },
  };
}

/** Names that a model invents would take the places of real tools. */
function toolOf({ call, result }: Extract<RunEvent, { type: 'tool-end' }>): string {
  return !result.ok && result.error.code === 'tool_not_found' ? 'unknown' : call.name;
}
