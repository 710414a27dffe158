// The tools of a Responses request, named at its top level or added along the conversation.
import { isRecord } from '../json-shape.ts';
import type { NeutralTool } from '../neutral-request.ts';
import { checkName, checkOneOf, checkPresent, checkType } from '../openai-checks.ts';
import type { RequestContext } from '../request-context.ts';

const WEB_SEARCH_FIELDS = ['type', 'filters', 'search_context_size', 'user_location', 'external_web_access'];

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
    if (tool.type === 'web_search') checkWebSearch(tool, at, report);
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

/** Domains are given without a scheme or a path. */
function checkWebSearch(tool: Record<string, unknown>, at: string, report: RequestContext['report']): void {
  for (const name of Object.keys(tool))
    if (!WEB_SEARCH_FIELDS.includes(name))
      report(`Unknown parameter: '${at}.${name}'.`, { param: `${at}.${name}`, code: 'unknown_parameter' });
  const domains = isRecord(tool.filters) ? tool.filters.allowed_domains : undefined;
  if (tool.filters !== undefined && !isHostList(domains))
    report(`Invalid '${at}.filters.allowed_domains'.`, {
      param: `${at}.filters.allowed_domains`,
      code: 'invalid_value',
    });
}

function isHostList(value: unknown): boolean {
  return Array.isArray(value) && value.every((each) => typeof each === 'string' && /^[\w.-]+$/.test(each));
}
