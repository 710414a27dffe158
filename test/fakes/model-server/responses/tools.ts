// The tools of a Responses request, named at its top level or added along the conversation.
import { isRecord } from '../json-shape.ts';
import type { NeutralTool } from '../neutral-request.ts';
import { checkName, checkOneOf, checkPresent, checkType } from '../openai-checks.ts';
import type { RequestContext } from '../request-context.ts';

const TOOL_TYPES = ['function', 'custom', 'tool_search', 'web_search', 'file_search', 'code_interpreter', 'mcp'];

export function readResponsesTools(list: unknown, param: string, { report }: RequestContext): NeutralTool[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) {
    checkType(list, 'an array', param, report);
    return [];
  }
  return list.flatMap((tool: unknown, index) => {
    const at = `${param}[${index}]`;
    if (!isRecord(tool)) {
      checkType(tool, 'an object', at, report);
      return [];
    }
    if (!checkOneOf(tool.type, TOOL_TYPES, `${at}.type`, report)) return [];
    if (tool.type !== 'function' && tool.type !== 'custom') return [];
    checkName(tool.name, `${at}.name`, report);
    const isFunction = tool.type === 'function';
    if (isFunction) checkPresent(tool.parameters, `${at}.parameters`, report);
    return [
      {
        name: String(tool.name ?? ''),
        description: String(tool.description ?? ''),
        schema: isFunction ? tool.parameters : undefined,
        strict: tool.strict === true,
      },
    ];
  });
}
