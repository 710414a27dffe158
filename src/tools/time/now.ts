import type { ToolSpec } from '../tool.ts';

export function createTimeNowTool(): ToolSpec {
  return {
    name: 'time.now',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'read',
    requiresPermission: false,
    timeoutMs: 1_000,
    async execute(_args, { now }) {
      const timestamp = now();
      return { data: { timestamp, iso: new Date(timestamp).toISOString() } };
    },
  };
}
