// Reads a request to the Responses API, plain or behind the ChatGPT gateway, and checks it as the service would.
import { isFilled, isRecord, type Json } from '../json-shape.ts';
import type { NeutralRequest, NeutralTool } from '../neutral-request.ts';
import { checkKnownParameters, checkPresent, checkUniqueNames } from '../openai-checks.ts';
import type { RequestContext } from '../request-context.ts';
import { readInputItems } from './input.ts';
import { readResponsesTools } from './tools.ts';

const MIN_OUTPUT_TOKENS = 16;

const PARAMETERS = [
  ...['background', 'context_management', 'conversation', 'include', 'input', 'instructions', 'max_output_tokens'],
  ...['max_tool_calls', 'metadata', 'model', 'moderation', 'parallel_tool_calls', 'previous_response_id', 'prompt'],
  ...['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention', 'reasoning', 'safety_identifier'],
  ...['service_tier', 'store', 'stream', 'stream_options', 'temperature', 'text', 'tool_choice', 'tools'],
  ...['top_logprobs', 'top_p', 'truncation', 'user'],
];

/** The gateway refuses the rest by name, `max_output_tokens` and `temperature` among them. */
const CODEX_PARAMETERS = [
  ...['client_metadata', 'include', 'input', 'instructions', 'model', 'parallel_tool_calls', 'prompt_cache_key'],
  ...['reasoning', 'service_tier', 'store', 'stream', 'text', 'tool_choice', 'tools'],
];

export function readResponsesRequest(body: Json, context: RequestContext): NeutralRequest {
  const { dialect, report } = context;
  if (dialect === 'codex') checkGateway(body, context);
  else checkKnownParameters(body, PARAMETERS, context);
  checkPresent(body.model, 'model', report);
  checkOutputLimit(body, context);
  if (isFilled(body.previous_response_id)) {
    const message = `Previous response with id '${body.previous_response_id}' not found.`;
    report(message, { param: 'previous_response_id', code: 'previous_response_not_found' });
  }

  const input = readInputItems(body, context);
  const tools = readResponsesTools(body.tools, 'tools', context).concat(input.tools);
  checkUniqueNames(
    tools.map(({ name }) => name),
    report,
  );
  checkToolChoice(body.tool_choice, tools, context);
  return {
    dialect,
    model: String(body.model ?? ''),
    system: [...(isFilled(body.instructions) ? [body.instructions] : []), ...input.system],
    messages: input.messages,
    tools,
    stream: body.stream === true,
    raw: body,
  };
}

function checkGateway(body: Json, { headers, report }: RequestContext): void {
  const refuse = (message: string) => report(message, { gateway: true });
  if (!isFilled(headers['chatgpt-account-id'])) refuse('Missing chatgpt-account-id header');
  if (!isFilled(body.instructions)) refuse('Instructions are required');
  if (body.store !== false) refuse('Store must be set to false');
  if (body.stream !== true) refuse('Stream must be set to true');
  if (!Array.isArray(body.input)) refuse('Input must be a list');
  else if (body.input.some((item) => isRecord(item) && item.role === 'system')) {
    refuse('System messages are not allowed');
  }
  for (const parameter of Object.keys(body)) {
    if (!CODEX_PARAMETERS.includes(parameter)) refuse(`Unsupported parameter: ${parameter}`);
  }
}

function checkOutputLimit({ max_output_tokens: limit }: Json, { report }: RequestContext): void {
  if (typeof limit !== 'number' || limit >= MIN_OUTPUT_TOKENS) return;
  const rule = `Expected a value >= ${MIN_OUTPUT_TOKENS}, but got ${limit} instead.`;
  const details = { param: 'max_output_tokens', code: 'integer_below_min_value' };
  report(`Invalid 'max_output_tokens': integer below minimum value. ${rule}`, details);
}

function checkToolChoice(choice: unknown, tools: NeutralTool[], { report }: RequestContext): void {
  if (!isRecord(choice) || choice.type !== 'function') return;
  if (tools.some(({ name }) => name === choice.name)) return;
  report("Tool choice 'function' not found in 'tools' parameter.", { param: 'tool_choice' });
}
