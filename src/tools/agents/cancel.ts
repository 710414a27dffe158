import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import { ToolFailure, type ToolSpec } from '../tool.ts';
import { type OpenAgentRuns, visibleRun } from './visible-runs.ts';

export function createSubagentCancelTool({ agentRuns }: { agentRuns: OpenAgentRuns }): ToolSpec {
  return defineTool({
    name: 'subagent_cancel',
    schema: {
      type: 'object',
      properties: { id: { type: 'string', minLength: 1 } },
      required: ['id'],
      additionalProperties: false,
    },
    effect: 'write',
    isFolded: true,
    subject: noSubject,
    requiresPermission: false,
    timeoutMs: 10_000,
    async execute({ id }, context) {
      const { state } = await visibleRun(agentRuns, id, context);
      if (await (await agentRuns()).cancel(id, context.now())) return { data: { id, cancelled: true } };
      throw new ToolFailure(`${id} has ended already (${state})`);
    },
  });
}
