import type { Docs, DocsHit } from '../../docs/docs.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

export function createDocsSearchTool({ docs }: { docs(): Promise<Docs> }): ToolSpec {
  return {
    name: 'docs_search',
    inputSchema: {
      type: 'object',
      properties: {
        query: { type: 'string', minLength: 1, maxLength: 1_000 },
        topK: { type: 'integer', minimum: 1, maximum: 50, default: 5 },
      },
      required: ['query'],
      additionalProperties: false,
    },
    effect: 'read',
    requiresPermission: false,
    timeoutMs: 10_000,
    async execute({ query, topK = 5 }) {
      const service = await docs();
      const results = await service.search(query as string, { topK: topK as number }).catch(orToolFailure);
      return { data: { results }, text: render(results) };
    },
  };
}

function render(results: readonly DocsHit[]): string {
  if (results.length === 0)
    return 'Nothing in the documentation matches (it is in English); docs_list shows what there is.';
  return results.map(({ address, title, snippet }) => `${address}  ${title}\n  ${snippet}`).join('\n');
}
