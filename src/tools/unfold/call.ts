import { defineTool } from '../define-tool.ts';
import { TOOL_CALL, TOOL_SEARCH } from '../folded-calls.ts';
import { noSubject } from '../subject.ts';
import { ToolFailure, type ToolSpec } from '../tool.ts';

/** What a model calls tools through that it was only told by name. A call that arrives here named no tool. */
export function createToolCallTool(): ToolSpec {
  return defineTool({
    name: TOOL_CALL,
    schema: {
      type: 'object',
      properties: {
        name: { type: 'string', minLength: 1 },
        args: { type: 'object', properties: {}, additionalProperties: true },
      },
      required: ['name', 'args'],
      additionalProperties: false,
    },
    effect: 'read',
    subject: noSubject,
    async execute({ name }) {
      throw new ToolFailure(
        `"${name}" is not a tool that can be called this way: ${TOOL_SEARCH} shows those that are`,
        {
          code: 'invalid_args',
        },
      );
    },
  });
}
