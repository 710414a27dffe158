// Runs the calls of one round: each is journalled before it runs and after. Read-only calls that stand next to each
// other run at the same time; a call with an effect runs alone, in its place. Results keep the order of the calls.
// Once the turn is cancelled no further call starts, and those that were running end with a result that says so.
import { createEventQueue } from '../lib/event-queue.ts';
import { monotonicMs } from '../lib/monotonic.ts';
import { unfinishedCall } from '../sessions/tool-context.ts';
import type { Turn } from '../sessions/turn.ts';
import type { Executed, Executor } from '../tools/executor.ts';
import type { Registry } from '../tools/registry.ts';
import type { ToolCall } from '../tools/tool.ts';
import type { RunEvent } from './events.ts';
import type { Grants } from './grants.ts';

export interface CallToolsOptions {
  calls: readonly ToolCall[];
  registry: Registry;
  executor: Executor;
  turn: Turn;
  /** What a person allowed; absent when nobody can be asked. */
  grants?: Pick<Grants, 'of'>;
  signal: AbortSignal;
}

export interface CalledTool {
  call: ToolCall;
  executed: Executed;
}

export async function* callTools(options: CallToolsOptions): AsyncGenerator<RunEvent, CalledTool[]> {
  const { calls, registry, executor, turn, grants, signal } = options;
  const effectOf = (call: ToolCall): string => registry.get(call.name)?.effect ?? 'read';
  const recordedEffect = (call: ToolCall): string => (registry.get(call.name)?.startsTurns ? 'exec' : effectOf(call));
  const done: CalledTool[] = [];

  for (const group of groups(calls, (call) => effectOf(call) === 'read')) {
    if (signal.aborted) break;
    for (const call of group) {
      await turn.callStarts(call, recordedEffect(call));
      yield { type: 'tool-start', call };
    }
    const shown = createEventQueue<RunEvent>();
    const running = group.map(async (call) => {
      const started = monotonicMs();
      const executed = await executor
        .execute(call, signal, (text) => shown.push({ type: 'tool-output', call, text }))
        .catch((error: unknown) => {
          if (!signal.aborted) throw error;
          return cancelled(recordedEffect(call), monotonicMs() - started);
        });
      const { result, text } = executed;
      const error = result.ok ? undefined : result.error;
      const { pictures } = result;
      await turn.callEnded({ callId: call.id, ok: result.ok, text, error, meta: result.meta, pictures });
      return { call, executed };
    });
    // All settle before anyone learns of it: a cancelled call must not write after the turn has ended.
    const settling = Promise.allSettled(running).finally(() => shown.close());
    yield* shown;
    for (const outcome of await settling) {
      if (outcome.status === 'rejected') throw outcome.reason;
      done.push(outcome.value);
      const { call, executed } = outcome.value;
      const granted = grants?.of(call);
      yield { type: 'tool-end', call, result: executed.result, ...(granted && { granted }) };
    }
  }
  return done;
}

function cancelled(effect: string, durationMs: number): Executed {
  const text = unfinishedCall(effect);
  const error = { code: 'execution_error', message: text, reason: 'cancelled' } as const;
  return { result: { ok: false, error, meta: { durationMs: Math.round(durationMs * 10) / 10 } }, text };
}

function groups<T>(items: readonly T[], together: (item: T) => boolean): T[][] {
  const result: T[][] = [];
  let open = false;
  for (const item of items) {
    const joins = together(item);
    if (joins && open) result.at(-1)?.push(item);
    else result.push([item]);
    open = joins;
  }
  return result;
}
