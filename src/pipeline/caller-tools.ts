// Tools of the caller, beside ours. A call of one ends the turn, because only the caller can run it. An answer that calls both runs
// ours alone: theirs are refused with a reason, so that nothing of ours is done twice when the caller asks again.
import type { ModelTool, ModelToolCall } from '../adapters/adapter.ts';
import type { Executed, Executor } from '../tools/executor.ts';

export interface CallerTools {
  /** Ours, without those whose name the caller uses, and theirs. */
  withOurs(tools: readonly ModelTool[]): readonly ModelTool[];
  /** True when an answer calls nothing but the caller's. */
  areAll(calls: readonly ModelToolCall[]): boolean;
  /** Refuses the caller's calls among ours; `ids` are those the calls are made under. */
  refusing(executor: Executor, calls: readonly ModelToolCall[], ids: readonly string[]): Executor;
}

export function createCallerTools(own: readonly ModelTool[] = []): CallerTools {
  const names = new Set(own.map(({ name }) => name));
  return {
    withOurs: (tools) => (own.length === 0 ? tools : [...tools.filter(({ name }) => !names.has(name)), ...own]),
    areAll: (calls) => calls.length > 0 && calls.every(({ name }) => names.has(name)),
    refusing(executor, calls, ids) {
      const theirs = new Set(ids.filter((_, index) => names.has(calls[index]?.name ?? '')));
      if (theirs.size === 0) return executor;
      return {
        ...executor,
        execute: async (call, ...rest) => (theirs.has(call.id) ? refused(call.name) : executor.execute(call, ...rest)),
      };
    },
  };
}

function refused(name: string): Executed {
  const message = `${name} was not run: call it in an answer of its own, after the results of the other tools`;
  return {
    result: { ok: false, error: { code: 'execution_error', message }, meta: { durationMs: 0 } },
    text: `Error (execution_error): ${message}`,
  };
}
