import type { ToolSpec } from '../tool.ts';

export function createPwdTool(): ToolSpec {
  return {
    name: 'shell.pwd',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'read',
    requiresPermission: false,
    timeoutMs: 1_000,
    async execute(_args, { workspace }) {
      return { data: workspace.root, text: workspace.root };
    },
  };
}
