// Runs the calls of one round: each is journalled before it runs and after; whether it is allowed is decided while the journal is synced. Read-only calls that stand next to each
// other run at the same time; a call with an effect runs alone, in its place. Results keep the order of the calls.
// Once a person has written to the turn no further call starts either: the others of the round get a result that says so.
// Once the turn is cancelled no further call starts, and those that were running end with a result that says so.
import { createEventQueue } from '../lib/event-queue.ts';
import { monotonicMs } from '../lib/monotonic.ts';
import { unfinishedCall } from '../sessions/tool-context.ts';
import type { Turn } from '../sessions/turn.ts';
import { type Executed, type Executor, NotStarted } from '../tools/executor.ts';
import type { Registry } from '../tools/registry.ts';
import type { ToolCall } from '../tools/tool.ts';
import type { RunEvent } from './events.ts';
import type { Grants } from './grants.ts';
import type { Steering } from './steering.ts';

export interface CallToolsOptions {
  calls: readonly ToolCall[];
  registry: Registry;
  executor: Executor;
  turn: Turn;
  /** What a person allowed; absent when nobody can be asked. */
  grants?: Pick<Grants, 'of'>;
  steering?: Pick<Steering, 'isWaiting'>;
  signal: AbortSignal;
}

export interface CalledTool {
  call: ToolCall;
  executed: Executed;
}

export async function* callTools(options: CallToolsOptions): AsyncGenerator<RunEvent, CalledTool[]> {
  const { calls, registry, executor, turn, grants, steering, signal } = options;
  const effectOf = (call: ToolCall): string => registry.get(call.name)?.effect ?? 'read';
  const recordedEffect = (call: ToolCall): string => (registry.get(call.name)?.startsTurns ? 'exec' : effectOf(call));
  const done: CalledTool[] = [];

  for (const group of groups(calls, (call) => effectOf(call) === 'read')) {
    if (signal.aborted) break;
    if (done.length > 0 && steering?.isWaiting) {
      done.push(...(yield* leaveOut(group, turn)));
      continue;
    }
    const journalled = new Map<ToolCall, Promise<void>>();
    for (const call of group) {
      const starting = turn.callStarts(call, recordedEffect(call));
      starting.catch(() => {});
      journalled.set(call, starting);
      yield { type: 'tool-start', call };
    }
    const shown = createEventQueue<RunEvent>();
    const running = group.map(async (call) => {
      const started = monotonicMs();
      const executed = await executor
        .execute(call, signal, (text) => shown.push({ type: 'tool-output', call, text }), journalled.get(call))
        .catch((error: unknown) => {
          if (!signal.aborted) throw error;
          if (error instanceof NotStarted) return notDone(error.message, 0);
          return cancelled(recordedEffect(call), monotonicMs() - started);
        });
      // What cannot be journalled ends the turn; it did not run.
      await journalled.get(call);
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

const LEFT_OUT = 'not run: a message came first, which follows; call it again if it is still wanted';

/** Journalled as calls that touch nothing, since none of them ran. */
async function* leaveOut(calls: readonly ToolCall[], turn: Turn): AsyncGenerator<RunEvent, CalledTool[]> {
  const left: CalledTool[] = [];
  for (const call of calls) {
    const executed = notDone(LEFT_OUT, 0);
    await turn.callStarts(call, 'read');
    yield { type: 'tool-start', call };
    const { result, text } = executed;
    await turn.callEnded({
      callId: call.id,
      ok: false,
      text,
      error: result.ok ? undefined : result.error,
      meta: result.meta,
    });
    yield { type: 'tool-end', call, result };
    left.push({ call, executed });
  }
  return left;
}

function cancelled(effect: string, durationMs: number): Executed {
  return notDone(unfinishedCall(effect), Math.round(durationMs * 10) / 10);
}

function notDone(text: string, durationMs: number): Executed {
  const error = { code: 'execution_error', message: text, reason: 'cancelled' } as const;
  return { result: { ok: false, error, meta: { durationMs } }, text };
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
