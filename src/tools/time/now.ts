import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';

export function createTimeNowTool(): ToolSpec {
  return defineTool({
    name: 'time.now',
    schema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'read',
    subject: noSubject,
    timeoutMs: 1_000,
    async execute(_args, { now }) {
      const timestamp = now();
      return { data: { timestamp, iso: new Date(timestamp).toISOString() } };
    },
  });
}
