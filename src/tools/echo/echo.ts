import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';

export function createEchoTool(): ToolSpec {
  return defineTool({
    name: 'tools.echo',
    schema: { type: 'object', properties: {}, additionalProperties: true },
    effect: 'read',
    isFolded: true,
    subject: noSubject,
    timeoutMs: 1_000,
    async execute(args) {
      return { data: args };
    },
  });
}
