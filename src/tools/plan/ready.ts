import { defineTool } from '../define-tool.ts';
import type { ToolSpec } from '../tool.ts';

/**
 * Ends planning: the policy puts the plan to a person, who says in which mode the work continues. It exists only in turns that
 * begin in plan mode.
 */
export function createPlanReadyTool(): ToolSpec {
  return defineTool({
    name: 'plan_ready',
    schema: {
      type: 'object',
      properties: { plan: { type: 'string', minLength: 1, maxLength: 50_000 } },
      required: ['plan'],
      additionalProperties: false,
    },
    effect: 'read',
    endsPlan: true,
    subject: ({ plan }) => ({ kind: 'plan', plan }),
    async execute() {
      return { data: { approved: true }, text: 'The person approved the plan: carry it out now.' };
    },
  });
}
