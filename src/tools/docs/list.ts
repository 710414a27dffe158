import type { Docs } from '../../docs/docs.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

export function createDocsListTool({ docs }: { docs(): Promise<Docs> }): ToolSpec {
  return {
    name: 'docs_list',
    inputSchema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'read',
    requiresPermission: false,
    timeoutMs: 10_000,
    async execute() {
      const pages = await (await docs()).list().catch(orToolFailure);
      const lines = pages.flatMap(({ path, title, sections }) => [
        `${path}  ${title}`,
        ...sections.map(({ address, heading }) => `  ${address.slice(path.length)}  ${heading}`),
      ]);
      return { data: { pages }, text: lines.join('\n') };
    },
  };
}
