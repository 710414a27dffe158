// Runs the calls of one round: each is journalled before it runs and after. Read-only calls that stand next to each
// other run at the same time; a call with an effect runs alone, in its place. Results keep the order of the calls.
import { createEventQueue } from '../lib/event-queue.ts';
import type { Turn } from '../sessions/turn.ts';
import type { Executed, Executor } from '../tools/executor.ts';
import type { Registry } from '../tools/registry.ts';
import type { ToolCall } from '../tools/tool.ts';
import type { RunEvent } from './events.ts';

export interface CallToolsOptions {
  calls: readonly ToolCall[];
  registry: Registry;
  executor: Executor;
  turn: Turn;
  signal: AbortSignal;
}

export interface CalledTool {
  call: ToolCall;
  executed: Executed;
}

export async function* callTools(options: CallToolsOptions): AsyncGenerator<RunEvent, CalledTool[]> {
  const { calls, registry, executor, turn, signal } = options;
  const effectOf = (call: ToolCall): string => registry.get(call.name)?.effect ?? 'read';
  const done: CalledTool[] = [];

  for (const group of groups(calls, (call) => effectOf(call) === 'read')) {
    for (const call of group) {
      await turn.callStarts(call, effectOf(call));
      yield { type: 'tool-start', call };
    }
    const shown = createEventQueue<RunEvent>();
    const running = group.map(async (call) => {
      const executed = await executor.execute(call, signal, (text) => shown.push({ type: 'tool-output', call, text }));
      const { result, text } = executed;
      const error = result.ok ? undefined : result.error;
      await turn.callEnded({ callId: call.id, ok: result.ok, text, error, meta: result.meta });
      return { call, executed };
    });
    // All settle before anyone is told: a cancelled call must not write after the turn has ended.
    const settling = Promise.allSettled(running).finally(() => shown.close());
    yield* shown;
    for (const outcome of await settling) {
      if (outcome.status === 'rejected') throw outcome.reason;
      done.push(outcome.value);
      yield { type: 'tool-end', call: outcome.value.call, result: outcome.value.executed.result };
    }
  }
  return done;
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
