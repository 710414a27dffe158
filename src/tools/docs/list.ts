import type { Docs } from '../../docs/docs.ts';
import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';
import { orToolFailure } from './failure.ts';

export function createDocsListTool({ docs }: { docs(): Promise<Docs> }): ToolSpec {
  return defineTool({
    name: 'docs_list',
    schema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'read',
    isFolded: true,
    subject: noSubject,
    timeoutMs: 10_000,
    async execute() {
      const pages = await (await docs()).list().catch(orToolFailure);
      const lines = pages.flatMap(({ path, title, sections }) => [
        `${path}  ${title}`,
        ...sections.map(({ address, heading }) => `  ${address.slice(path.length)}  ${heading}`),
      ]);
      return { data: { pages }, text: lines.join('\n') };
    },
  });
}
