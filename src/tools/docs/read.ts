import type { Docs } from '../../docs/docs.ts';
import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

export function createDocsReadTool({ docs }: { docs(): Promise<Docs> }): ToolSpec {
  return defineTool({
    name: 'docs_read',
    schema: {
      type: 'object',
      properties: { path: { type: 'string', minLength: 1, maxLength: 1_000 } },
      required: ['path'],
      additionalProperties: false,
    },
    effect: 'read',
    isFolded: true,
    subject: noSubject,
    timeoutMs: 10_000,
    async execute({ path }) {
      const data = await (await docs()).read(path).catch(orToolFailure);
      return { data, text: data.text };
    },
  });
}
