import type { ToolSpec } from '../tool.ts';

export function createEchoTool(): ToolSpec {
  return {
    name: 'tools.echo',
    inputSchema: { type: 'object', properties: {}, additionalProperties: true },
    effect: 'read',
    requiresPermission: false,
    timeoutMs: 1_000,
    async execute(args) {
      return { data: args };
    },
  };
}
