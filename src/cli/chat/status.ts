// The two lines around the input, as texts: what is going on, and where one is.

import type { Mode } from '../../config/mode.ts';
import { type ContextSize, percentFull } from '../../pipeline/context-size.ts';
import type { RunEvent } from '../../pipeline/events.ts';
import type { Usage } from '../../vocabulary/usage.ts';
import { foldedThought } from '../folded-thought.ts';
import type { Activity } from './turn-view.ts';

const SPINNER = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏'];
const FRAME_MS = 100;

export type Manner = 'running' | 'cancelling' | 'asking';

export function statusLine(activity: Activity, elapsedMs: number, manner: Manner): string {
  if (manner === 'asking') return `◆ Waiting for your answer… ${elapsed(elapsedMs)} · Esc says no`;
  const spinner = SPINNER[Math.floor(elapsedMs / FRAME_MS) % SPINNER.length];
  if (manner === 'cancelling') return `${spinner} Cancelling… ${elapsed(elapsedMs)}`;
  const thought = activity.kind === 'thinking' && activity.thought ? foldedThought(activity.thought) : '';
  return `${spinner} ${described(activity)}… ${elapsed(elapsedMs)} · Esc cancels${thought && ` · ${thought}`}`;
}

function described(activity: Activity): string {
  switch (activity.kind) {
    case 'thinking':
      return 'Thinking';
    case 'writing':
      return 'Writing';
    case 'waiting':
      return 'Waiting for another turn of this session';
    case 'calling': {
      const [first = '', ...others] = activity.names;
      return others.length > 0 ? `Running ${activity.names.length} tools` : `Running ${first}`;
    }
  }
}

function elapsed(ms: number): string {
  const seconds = Math.floor(ms / 1000);
  if (seconds < 60) return `${seconds} s`;
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}

export interface FooterFacts {
  mode: Mode;
  model: string;
  sessionKey: string;
  context?: ContextSize;
  usage: Usage | undefined;
}

export function footerLine({ mode, model, sessionKey, context, usage }: FooterFacts): string {
  const parts = [mode, model, sessionKey];
  if (context) parts.push(meter(context));
  if (usage) parts.push(...figuresOf(usage));
  return parts.join(' · ');
}

/** What a turn took, for its end. */
export function turnFigures(tookMs: number, usage: Usage): string {
  return [elapsed(tookMs), ...figuresOf(usage)].join(' · ');
}

function figuresOf({ inputTokens, outputTokens, costUsd }: Usage): string[] {
  const tokens = `${tokenCount(inputTokens)} in, ${tokenCount(outputTokens)} out`;
  return costUsd === undefined ? [tokens] : [tokens, `$${costUsd.toFixed(costUsd < 1 ? 4 : 2)}`];
}

export function addUsage(total: Usage | undefined, more: Usage | undefined): Usage | undefined {
  if (!more) return total;
  const cost = (total?.costUsd ?? 0) + (more.costUsd ?? 0);
  return {
    inputTokens: (total?.inputTokens ?? 0) + more.inputTokens,
    outputTokens: (total?.outputTokens ?? 0) + more.outputTokens,
    ...((total?.costUsd !== undefined || more.costUsd !== undefined) && { costUsd: cost }),
  };
}

function meter(context: ContextSize): string {
  const { tokens, window } = context;
  return window === undefined
    ? `context ${tokenCount(tokens)}`
    : `context ${percentFull(context)}% of ${tokenCount(window)}`;
}

/** Reads a turn's events on their way: each model call says how large the conversation has become. */
export async function* watchContext(
  events: AsyncIterable<RunEvent>,
  onSize: (size: ContextSize) => void,
): AsyncGenerator<RunEvent> {
  for await (const event of events) {
    if (event.type === 'model-end' && event.context) onSize(event.context);
    yield event;
  }
}

/** `950`, `1.2k`, `3.4M`. */
export function tokenCount(count: number): string {
  if (count < 1_000) return String(count);
  return count < 1_000_000 ? `${(count / 1_000).toFixed(1)}k` : `${(count / 1_000_000).toFixed(1)}M`;
}
