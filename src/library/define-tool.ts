import { defineTool as defineSpec } from '../tools/define-tool.ts';
import type { JsonSchema } from '../tools/json-schema.ts';
import { noSubject } from '../tools/subject.ts';
import { type DefinedTool, invalidTool, SPEC } from './defined-tool.ts';
import type { Tool, ToolDefinition } from './surface.ts';

const NAME = /^(?!mcp__)[A-Za-z][\w.-]{0,63}$/;

/** Throws with the code INVALID_TOOL when the tool cannot be used. */
export function defineTool<const Schema extends JsonSchema>(definition: ToolDefinition<Schema>): Tool {
  const { name, description } = definition;
  if (!NAME.test(name))
    throw invalidTool(
      `"${name}" cannot name a tool; accepted: letters, digits, _, - and ., at most 64, beginning with a letter, not with mcp__`,
    );
  if (description.trim() === '') throw invalidTool(`${name} needs a description: it is what the model knows of it`);
  const tool: DefinedTool = { name, [SPEC]: defineSpec({ subject: noSubject, ...definition }) };
  return tool;
}
