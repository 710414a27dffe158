import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';

export function createPwdTool(): ToolSpec {
  return defineTool({
    name: 'shell.pwd',
    schema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'read',
    isFolded: true,
    subject: noSubject,
    timeoutMs: 1_000,
    async execute(_args, { workspace }) {
      return { data: workspace.root, text: workspace.root };
    },
  });
}
