import type { Docs, DocsHit } from '../../docs/docs.ts';
import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

export function createDocsSearchTool({ docs }: { docs(): Promise<Docs> }): ToolSpec {
  return defineTool({
    name: 'docs_search',
    schema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 1_000 },
        topK: { type: 'integer', minimum: 1, maximum: 50, default: 5 },
      },
      required: ['query'],
      additionalProperties: false,
    },
    effect: 'read',
    subject: noSubject,
    timeoutMs: 10_000,
    async execute({ query, topK }) {
      const service = await docs();
      const results = await service.search(query, { topK }).catch(orToolFailure);
      return { data: { results }, text: render(results) };
    },
  });
}

function render(results: readonly DocsHit[]): string {
  if (results.length === 0) return 'Nothing in the documentation matches; docs_list shows what there is.';
  return results.map(({ address, title, snippet }) => `${address}  ${title}\n  ${snippet}`).join('\n');
}
