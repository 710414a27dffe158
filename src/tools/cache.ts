// Results of read-only tools, reused within a session while what they were made from is unchanged.
// A result is kept only when the fingerprint taken before running still holds after, so a file changed in between is
// never remembered under its old state.
import { canonicalJson } from '../lib/canonical-json.ts';
import type { ResultCache } from '../storage/storage.ts';
import type { ToolArgs, ToolContext, ToolOutput, ToolSpec } from './tool.ts';

export interface ReusedResults {
  find(spec: ToolSpec, args: ToolArgs, context: ToolContext): Promise<Reusable>;
}

export interface Reusable {
  /** The earlier output, when there is one that still holds. */
  output?: ToolOutput;
  /** Remembers a fresh output. */
  keep(output: ToolOutput): Promise<void>;
}

const NOT_REUSABLE: Reusable = { async keep() {} };

export const noReuse: ReusedResults = { find: async () => NOT_REUSABLE };

export function createReusedResults(cache: ResultCache, sessionId: string): ReusedResults {
  return {
    async find(spec, args, context) {
      const before = await spec.fingerprint?.(args, context);
      if (before === undefined) return NOT_REUSABLE;
      const key = `${spec.name} ${canonicalJson(args)} ${before}`;
      // The cache is a convenience: one that cannot be read or written costs time, never an answer.
      const known = await cache.get(sessionId, key).catch(() => undefined);
      if (known !== undefined) return { output: JSON.parse(known) as ToolOutput, async keep() {} };
      return {
        async keep(output) {
          const after = await spec.fingerprint?.(args, context);
          if (after === before) await cache.put(sessionId, key, JSON.stringify(output)).catch(() => {});
        },
      };
    },
  };
}
