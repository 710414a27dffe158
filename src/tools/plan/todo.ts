import { checklistLines, ITEM_STATES } from '../checklist.ts';
import { defineTool } from '../define-tool.ts';
import { noSubject } from '../subject.ts';
import type { ToolSpec } from '../tool.ts';

/** The model's plan for longer work. Each call gives the whole list; the conversation keeps it, and the person sees the newest. */
export function createTodoTool(): ToolSpec {
  return defineTool({
    name: 'todo',
    schema: {
      type: 'object',
      properties: {
        items: {
          type: 'array',
          maxItems: 50,
          items: {
            type: 'object',
            properties: {
              text: { type: 'string', minLength: 1, maxLength: 300 },
              status: { type: 'string', enum: ITEM_STATES },
            },
            required: ['text', 'status'],
            additionalProperties: false,
          },
        },
      },
      required: ['items'],
      additionalProperties: false,
    },
    effect: 'read',
    subject: noSubject,
    async execute({ items }) {
      const done = items.filter(({ status }) => status === 'completed').length;
      return {
        data: { checklist: items, completed: done },
        text: [`${done}/${items.length}`, ...checklistLines(items)].join('\n'),
      };
    },
  });
}
