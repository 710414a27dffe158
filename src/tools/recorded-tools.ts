// Tools that only remember: a toolbox like any other, whose executor answers from the calls of a recorded turn. The same call
// gets the result it had, in their order, the last of them as often as it is made again; a call that was made in an
// earlier turn gets that one's. Any other is refused. Nothing is run, so nothing can happen.
import { canonicalJson } from '../lib/canonical-json.ts';
import type { Executed, Executor } from './executor.ts';
import type { ToolCall, ToolResult } from './tool.ts';
import type { Toolbox } from './toolbox.ts';

/** Results of earlier turns that are kept in mind. */
const EARLIER_AT_MOST = 1_000;

export interface RecordedCall {
  call: Pick<ToolCall, 'name' | 'args'>;
  executed: Executed;
}

export interface RecordedTools {
  toolbox: Toolbox;
  /** The next turn: from now on its calls are answered. */
  turn(calls: readonly RecordedCall[]): void;
}

export const NOT_RECORDED = 'this call is not on record, and a replay runs no tools';

export function createRecordedTools(toolbox: Toolbox): RecordedTools {
  const registry = toolbox.visible(undefined);
  const current = new Map<string, Executed[]>();
  const earlier = new Map<string, Executed>();
  // An alias is the same tool.
  const keyOf = ({ name, args }: RecordedCall['call']): string =>
    `${registry.get(name)?.name ?? name} ${canonicalJson(args)}`;

  function find(call: ToolCall): Executed | undefined {
    const key = keyOf(call);
    const results = current.get(key);
    if (!results) return earlier.get(key);
    return results.length > 1 ? results.shift() : results[0];
  }

  const executor: Executor = {
    async execute(call, signal) {
      signal.throwIfAborted();
      return find(call) ?? refused();
    },
  };
  return {
    toolbox: { ...toolbox, executor: () => executor },
    turn(calls) {
      for (const [key, results] of current) {
        const newest = results.at(-1);
        earlier.delete(key);
        if (newest) earlier.set(key, newest);
      }
      for (const key of [...earlier.keys()].slice(0, -EARLIER_AT_MOST)) earlier.delete(key);
      current.clear();
      for (const { call, executed } of calls) {
        const key = keyOf(call);
        current.set(key, [...(current.get(key) ?? []), executed]);
      }
    },
  };
}

function refused(): Executed {
  const error = { code: 'execution_error', reason: 'denied', message: NOT_RECORDED } as const;
  const result: ToolResult = { ok: false, error, meta: { durationMs: 0, notRecorded: true } };
  return { result, text: `Error (${error.code}): ${error.message}` };
}
