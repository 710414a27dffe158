import type { Docs } from '../../docs/docs.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

export function createDocsReadTool({ docs }: { docs(): Promise<Docs> }): ToolSpec {
  return {
    name: 'docs_read',
    inputSchema: {
      type: 'object',
      properties: { path: { type: 'string', minLength: 1, maxLength: 1_000 } },
      required: ['path'],
      additionalProperties: false,
    },
    effect: 'read',
    requiresPermission: false,
    timeoutMs: 10_000,
    async execute({ path }) {
      const data = await (await docs()).read(path as string).catch(orToolFailure);
      return { data, text: data.text };
    },
  };
}
