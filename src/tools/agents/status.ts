import { taintSource } from '../../vocabulary/taint-source.ts';
import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';
import { type OpenAgentRuns, summaryOfRun, visibleRun } from './visible-runs.ts';

export function createSubagentStatusTool({ agentRuns }: { agentRuns: OpenAgentRuns }): ToolSpec {
  return defineTool({
    name: 'subagent_status',
    schema: {
      type: 'object',
      properties: { id: { type: 'string', minLength: 1 } },
      required: ['id'],
      additionalProperties: false,
    },
    effect: 'read',
    isFolded: true,
    subject: noSubject,
    timeoutMs: 10_000,
    async execute({ id }, context) {
      const run = await visibleRun(agentRuns, id, context);
      const { result } = run;
      if (result === undefined) return { data: summaryOfRun(run) };
      // Nothing is known of what it has read on the way.
      const meta = { tainted: true, taintedBy: [taintSource('tool', 'subagent_status')] };
      return { data: { ...summaryOfRun(run), result }, meta };
    },
  });
}
