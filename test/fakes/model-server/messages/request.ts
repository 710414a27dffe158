// Reads a request to Anthropic's Messages API and checks it as the service would.
import { isFilled, isRecord, type Json, textOf } from '../json-shape.ts';
import type { NeutralRequest, NeutralTool } from '../neutral-request.ts';
import type { RequestContext } from '../request-context.ts';
import { readConversation } from './conversation.ts';

const VERSIONS = ['2023-01-01', '2023-06-01', '2026-10-21'];
const NAME = /^[a-zA-Z0-9_-]{1,64}$/;
const SAMPLING = ['temperature', 'top_p', 'top_k'];
const PARAMETERS = [
  ...['max_tokens', 'messages', 'model', 'cache_control', 'compaction', 'container', 'context_management'],
  ...['diagnostics', 'fallback_credit_token', 'fallbacks', 'inference_geo', 'mcp_servers', 'metadata'],
  ...['output_config', 'output_format', 'service_tier', 'speed', 'stop_sequences', 'stream', 'system', 'thinking'],
  ...['thread', 'tool_choice', 'tools'],
];

export function readMessagesRequest(body: Json, context: RequestContext): NeutralRequest {
  const { headers, report } = context;
  const version = headers['anthropic-version'];
  if (!isFilled(version)) report('anthropic-version: header is required');
  else if (!VERSIONS.includes(version)) report(`anthropic-version: "${version}" is not a valid version`);

  checkParameters(body, String(version), context);
  if (!isFilled(body.model)) report('model: Field required');
  if (body.max_tokens === undefined) report('max_tokens: Field required');
  else if (!Number.isInteger(body.max_tokens) || Number(body.max_tokens) < 1) {
    report('max_tokens: Input should be greater than or equal to 1');
  }
  const system = readSystem(body.system, context);
  const conversation = readConversation(body.messages, context);
  return {
    dialect: 'messages',
    model: String(body.model ?? ''),
    system: [...system, ...conversation.system],
    messages: conversation.messages,
    tools: readTools(body.tools, context),
    stream: body.stream === true,
    raw: body,
  };
}

/** The version of October 2026 has no sampling parameters. */
function checkParameters(body: Json, version: string, { hosted, report }: RequestContext): void {
  if (!hosted) return;
  const known = version === '2026-10-21' ? PARAMETERS : [...PARAMETERS, ...SAMPLING];
  for (const name of Object.keys(body)) {
    if (!known.includes(name)) report(`${name}: Extra inputs are not permitted`);
  }
}

function readSystem(system: unknown, { report }: RequestContext): string[] {
  if (system === undefined || typeof system === 'string') return isFilled(system) ? [system] : [];
  if (!Array.isArray(system)) {
    report('system: Input should be a valid string or a list of text blocks');
    return [];
  }
  return system.map((block: unknown, index) => {
    const text = isRecord(block) && block.type === 'text' ? block.text : undefined;
    if (typeof text !== 'string') report(`system.${index}: Input tag found using 'type' does not match 'text'`);
    else if (text.trim() === '') report('system: text content blocks must be non-empty');
    return textOf([block]);
  });
}

function readTools(list: unknown, { report }: RequestContext): NeutralTool[] {
  if (list === undefined) return [];
  if (!Array.isArray(list)) {
    report('tools: Input should be a valid list');
    return [];
  }
  const tools = list.flatMap((tool: unknown, index): NeutralTool[] => {
    if (!isRecord(tool)) {
      report(`tools.${index}: Input should be a valid dictionary`);
      return [];
    }
    const at = `tools.${index}.custom`;
    if (typeof tool.name !== 'string') report(`${at}.name: Field required`);
    else if (!NAME.test(tool.name)) report(`${at}.name: String should match pattern '${NAME.source}'`);
    if (String(tool.type).startsWith('web_search')) checkWebSearch(tool, `tools.${index}`, report);
    // Any other type is a tool of the service itself, without a schema.
    const isCustom = tool.type === undefined || tool.type === null || tool.type === 'custom';
    if (isCustom && tool.input_schema === undefined) report(`${at}.input_schema: Field required`);
    return [
      {
        name: String(tool.name ?? ''),
        description: String(tool.description ?? ''),
        schema: isCustom ? tool.input_schema : undefined,
        strict: tool.strict === true,
      },
    ];
  });
  if (new Set(tools.map(({ name }) => name)).size < tools.length) report('tools: Tool names must be unique.');
  return tools;
}

const WEB_SEARCH_FIELDS = [
  ...['type', 'name', 'max_uses', 'allowed_domains', 'blocked_domains', 'user_location', 'cache_control'],
  ...['allowed_callers', 'defer_loading', 'strict'],
];

function checkWebSearch(tool: Json, at: string, report: RequestContext['report']): void {
  if (tool.type !== 'web_search_20250305') report(`${at}: Input tag '${tool.type}' is not a tool of the service`);
  if (tool.name !== 'web_search') report(`${at}.web_search_20250305.name: Input should be 'web_search'`);
  for (const name of Object.keys(tool))
    if (!WEB_SEARCH_FIELDS.includes(name)) report(`${at}.web_search_20250305.${name}: Extra inputs are not permitted`);
  const domains = tool.allowed_domains;
  const areHosts =
    Array.isArray(domains) && domains.every((each) => typeof each === 'string' && /^[\w.-]+$/.test(each));
  if (domains !== undefined && !areHosts) report(`${at}.web_search_20250305.allowed_domains: invalid domain`);
}
