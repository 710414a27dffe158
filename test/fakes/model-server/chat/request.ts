// Reads a request to the Chat Completions API and checks it as the service would. Tool messages must follow the
// assistant message that made their calls, and every call must be answered before any other message.
import { isRecord, type Json, textOf } from '../json-shape.ts';
import type { NeutralMessage, NeutralRequest, NeutralTool, NeutralToolCall } from '../neutral-request.ts';
import {
  checkArguments,
  checkKnownParameters,
  checkLength,
  checkName,
  checkNotEmpty,
  checkOneOf,
  checkPresent,
  checkType,
  checkUniqueNames,
} from '../openai-checks.ts';
import type { RequestContext } from '../request-context.ts';

const CALL_ID_LENGTH = 40;
const ROLES = ['system', 'assistant', 'user', 'tool', 'developer'];
const PARTS: Record<string, string[]> = {
  user: ['text', 'image_url', 'input_audio', 'file'],
  assistant: ['text', 'refusal'],
};
const PARAMETERS = [
  ...['messages', 'model', 'audio', 'frequency_penalty', 'function_call', 'functions', 'logit_bias', 'logprobs'],
  ...['max_completion_tokens', 'max_tokens', 'metadata', 'modalities', 'moderation', 'n', 'parallel_tool_calls'],
  ...['prediction', 'presence_penalty', 'prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'],
  ...['reasoning_effort', 'response_format', 'safety_identifier', 'seed', 'service_tier', 'stop', 'store', 'stream'],
  ...['stream_options', 'temperature', 'tool_choice', 'tools', 'top_logprobs', 'top_p', 'user', 'verbosity'],
  ...['web_search_options'],
];

export function readChatRequest(body: Json, context: RequestContext): NeutralRequest {
  const { report } = context;
  checkKnownParameters(body, PARAMETERS, context);
  checkPresent(body.model, 'model', report);
  if (body.stream_options !== undefined && body.stream !== true) {
    report("The 'stream_options' parameter is only allowed when 'stream' is enabled.", { param: 'stream_options' });
  }
  const tools = readTools(body.tools, context);
  if (body.tool_choice !== undefined && tools.length === 0) {
    report("'tool_choice' is only allowed when 'tools' are specified.", { param: 'tool_choice' });
  }
  return {
    dialect: 'chat',
    model: String(body.model ?? ''),
    tools,
    stream: body.stream === true,
    raw: body,
    ...readMessages(body.messages, context),
  };
}

function readMessages(list: unknown, context: RequestContext): Pick<NeutralRequest, 'system' | 'messages'> {
  const { report } = context;
  const system: string[] = [];
  const messages: NeutralMessage[] = [];
  if (!Array.isArray(list)) {
    if (list === undefined) checkPresent(list, 'messages', report);
    else checkType(list, 'an array', 'messages', report);
    return { system, messages };
  }
  checkNotEmpty(list, 'messages', report);

  const known = new Set<string>();
  let open = new Set<string>();
  const close = (param: string) => {
    if (open.size === 0) return;
    const missing = [...open].join(', ');
    const rule = `The following tool_call_ids did not have response messages: ${missing}`;
    report(
      `An assistant message with 'tool_calls' must be followed by tool messages responding to each 'tool_call_id'. ${rule}`,
      { param },
    );
    open = new Set();
  };

  list.forEach((message: unknown, index) => {
    const at = `messages[${index}]`;
    if (!isRecord(message)) {
      checkType(message, 'an object', at, report);
      return;
    }
    if (!checkOneOf(message.role, ROLES, `${at}.role`, report)) return;
    const text = textOf(message.content);
    if (message.role !== 'tool') close(`messages.[${index}].role`);
    if (message.role !== 'assistant' || !message.tool_calls) checkContent(message, at, context);
    switch (message.role) {
      case 'user':
        messages.push({ role: 'user', text });
        return;
      case 'assistant': {
        const toolCalls = readCalls(message.tool_calls, at, known, context);
        for (const { id } of toolCalls) open.add(id);
        messages.push({ role: 'assistant', text, toolCalls });
        return;
      }
      case 'tool': {
        const callId = String(message.tool_call_id ?? '');
        checkPresent(message.tool_call_id, `${at}.tool_call_id`, report);
        if (!open.delete(callId)) {
          const rule = "messages with role 'tool' must be a response to a preceeding message with 'tool_calls'.";
          report(`Invalid parameter: ${rule}`, { param: `messages.[${index}].role` });
        }
        messages.push({ role: 'tool', callId, text, isError: false });
        return;
      }
      default:
        system.push(text);
    }
  });
  close(`messages.[${list.length}].role`);
  return { system, messages };
}

function checkContent({ role, content }: Json, at: string, { report, asMistral }: RequestContext): void {
  if (typeof content === 'string') return;
  if (!Array.isArray(content)) {
    const actual = content === null || content === undefined ? 'null' : typeof content;
    report(`Invalid value for 'content': expected a string, got ${actual}.`, { param: `${at}.content` });
    return;
  }
  checkNotEmpty(content, `${at}.content`, report);
  const parts = PARTS[asMistral && role === 'tool' ? 'user' : String(role)] ?? ['text'];
  content.forEach((part: unknown, index) => {
    checkOneOf(isRecord(part) ? part.type : undefined, parts, `${at}.content[${index}].type`, report);
  });
}

function readCalls(list: unknown, at: string, known: Set<string>, { report }: RequestContext): NeutralToolCall[] {
  if (list === undefined || list === null) return [];
  const param = `${at}.tool_calls`;
  if (!Array.isArray(list)) {
    checkType(list, 'an array', param, report);
    return [];
  }
  checkNotEmpty(list, param, report);
  return list.flatMap((call: unknown, index) => {
    const place = `${param}[${index}]`;
    if (!isRecord(call)) {
      checkType(call, 'an object', place, report);
      return [];
    }
    const id = String(call.id ?? '');
    checkPresent(call.id, `${place}.id`, report);
    checkLength(id, CALL_ID_LENGTH, `${place}.id`, report);
    if (known.has(id)) report(`Duplicate value for 'tool_call_id' of '${id}'.`, { param: `${place}.id` });
    known.add(id);
    if (!checkOneOf(call.type, ['function', 'custom'], `${place}.type`, report)) return [];
    const made = isRecord(call[String(call.type)]) ? (call[String(call.type)] as Json) : {};
    checkName(made.name, `${place}.function.name`, report);
    if (call.type === 'function') checkArguments(made.arguments, `${place}.function.arguments`, report);
    return [{ id, name: String(made.name ?? ''), args: String(made.arguments ?? made.input ?? '') }];
  });
}

function readTools(list: unknown, { hosted, report }: RequestContext): NeutralTool[] {
  if (list === undefined || list === null) return [];
  if (!Array.isArray(list)) {
    checkType(list, 'an array', 'tools', report);
    return [];
  }
  if (hosted) checkNotEmpty(list, 'tools', report);
  const tools = list.flatMap((tool: unknown, index): NeutralTool[] => {
    const at = `tools[${index}]`;
    if (!isRecord(tool)) {
      checkType(tool, 'an object', at, report);
      return [];
    }
    if (!checkOneOf(tool.type, ['function', 'custom'], `${at}.type`, report)) return [];
    const made = tool[String(tool.type)];
    if (!isRecord(made)) {
      checkPresent(undefined, `${at}.${String(tool.type)}`, report);
      return [];
    }
    checkName(made.name, `${at}.${String(tool.type)}.name`, report);
    // Without parameters a function takes none.
    const schema = tool.type === 'function' ? (made.parameters ?? { type: 'object', properties: {} }) : undefined;
    const description = String(made.description ?? '');
    return [{ name: String(made.name ?? ''), description, schema, strict: made.strict === true }];
  });
  checkUniqueNames(
    tools.map(({ name }) => name),
    report,
  );
  return tools;
}
