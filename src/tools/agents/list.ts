import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';
import { isVisible, type OpenAgentRuns, summaryOfRun } from './visible-runs.ts';

const MOST = 20;
/** Of others than the person who asks, some are left out. */
const LOOKED_AT = 200;

export function createSubagentListTool({ agentRuns }: { agentRuns: OpenAgentRuns }): ToolSpec {
  return defineTool({
    name: 'subagent_list',
    schema: { type: 'object', properties: {}, additionalProperties: false },
    effect: 'read',
    isFolded: true,
    subject: noSubject,
    timeoutMs: 10_000,
    async execute(_args, context) {
      const all = await (await agentRuns()).list({ limit: LOOKED_AT });
      const runs = all.filter((run) => isVisible(run, context)).slice(0, MOST);
      return { data: { runs: runs.map(summaryOfRun) } };
    },
  });
}
