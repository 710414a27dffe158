// The conversation of a Responses request: a flat list of items, where a call and its output are items of their own.
// A call must be answered before the next user message and before the list ends; an output must come after its call.
import { isFilled, isRecord, type Json, textOf } from '../json-shape.ts';
import type { NeutralMessage, NeutralTool } from '../neutral-request.ts';
import { checkArguments, checkLength, checkName, checkOneOf, checkPresent, checkType } from '../openai-checks.ts';
import type { RequestContext } from '../request-context.ts';
import { isSealedReasoning } from '../seal.ts';
import { readResponsesTools } from './tools.ts';

const ID_LENGTH = 64;
const ROLES = ['user', 'assistant', 'system', 'developer'];
const INPUT_PARTS = ['input_text', 'input_image', 'input_file'];
const OUTPUT_PARTS = ['output_text', 'refusal'];
const ID_PREFIX: Record<string, string> = {
  message: 'msg',
  function_call: 'fc',
  custom_tool_call: 'ctc',
  reasoning: 'rs',
};
const ITEM_TYPES = [
  ...['message', 'function_call', 'function_call_output', 'custom_tool_call', 'custom_tool_call_output'],
  ...['reasoning', 'additional_tools', 'tool_search_call', 'tool_search_output'],
];

interface Conversation {
  system: string[];
  messages: NeutralMessage[];
  tools: NeutralTool[];
}

export function readInputItems(body: Json, context: RequestContext): Conversation {
  const conversation: Conversation = { system: [], messages: [], tools: [] };
  const items = listItems(body.input, context);
  const calls = createCalls(context);
  items.forEach((item, index) => {
    const at = `input[${index}]`;
    if (!isRecord(item)) {
      checkType(item, 'an object', at, context.report);
      return;
    }
    const type = item.type ?? (item.role === undefined ? undefined : 'message');
    if (!checkOneOf(type, ITEM_TYPES, `${at}.type`, context.report)) return;
    checkId(item.id, String(type), `${at}.id`, context);
    switch (type) {
      case 'message':
        if (item.role === 'user') calls.close();
        readMessage(item, at, conversation, context);
        break;
      case 'function_call':
      case 'custom_tool_call':
        calls.open(item.call_id, `${at}.call_id`);
        readCall(item, at, conversation, context);
        break;
      case 'function_call_output':
      case 'custom_tool_call_output':
        calls.answer(item.call_id, `${at}.call_id`);
        readOutput(item, at, conversation, context);
        break;
      case 'reasoning':
        checkReasoning(item, items[index + 1], body.store === false, context);
        break;
      case 'additional_tools':
      case 'tool_search_output':
        conversation.tools.push(...readResponsesTools(item.tools, `${at}.tools`, context));
    }
  });
  calls.close();
  return conversation;
}

function listItems(input: unknown, { report }: RequestContext): unknown[] {
  if (typeof input === 'string') {
    checkPresent(input, 'input', report);
    return [{ role: 'user', content: input }];
  }
  if (Array.isArray(input) && input.length > 0) return input;
  if (input === undefined || Array.isArray(input)) checkPresent(undefined, 'input', report);
  else checkType(input, 'a string or an array', 'input', report);
  return [];
}

function readMessage(item: Json, at: string, conversation: Conversation, context: RequestContext): void {
  if (!checkOneOf(item.role, ROLES, `${at}.role`, context.report)) return;
  const parts = item.role === 'assistant' ? OUTPUT_PARTS : INPUT_PARTS;
  checkContent(item.content, parts, `${at}.content`, context);
  const text = textOf(item.content);
  if (item.role === 'user') conversation.messages.push({ role: 'user', text });
  else if (item.role === 'assistant') assistantTurn(conversation).text += text;
  else conversation.system.push(text);
}

function readCall(item: Json, at: string, conversation: Conversation, { report }: RequestContext): void {
  checkName(item.name, `${at}.name`, report);
  if (item.type === 'function_call') checkArguments(item.arguments, `${at}.arguments`, report);
  const args = String((item.type === 'function_call' ? item.arguments : item.input) ?? '');
  assistantTurn(conversation).toolCalls.push({ id: String(item.call_id), name: String(item.name), args });
}

function readOutput(item: Json, at: string, conversation: Conversation, context: RequestContext): void {
  checkContent(item.output, INPUT_PARTS, `${at}.output`, context);
  conversation.messages.push({
    role: 'tool',
    callId: String(item.call_id),
    text: textOf(item.output),
    isError: item.status === 'incomplete',
  });
}

function checkContent(content: unknown, parts: string[], param: string, { report }: RequestContext): void {
  if (typeof content === 'string') return;
  if (!Array.isArray(content)) {
    checkType(content, 'a string or an array', param, report);
    return;
  }
  content.forEach((part: unknown, index) => {
    checkOneOf(isRecord(part) ? part.type : undefined, parts, `${param}[${index}].type`, report);
  });
}

function checkId(id: unknown, type: string, param: string, { report }: RequestContext): void {
  const prefix = ID_PREFIX[type];
  if (!isFilled(id) || prefix === undefined) return;
  checkLength(id, ID_LENGTH, param, report);
  if (id.startsWith(prefix)) return;
  const rule = `Expected an ID that begins with '${prefix}'.`;
  report(`Invalid '${param}': '${id}'. ${rule}`, { param, code: 'invalid_value' });
}

/** Nothing is stored here, so reasoning must come back sealed, and with the item it led to. */
function checkReasoning(item: Json, next: unknown, unstored: boolean, { report }: RequestContext): void {
  const id = String(item.id);
  if (!Array.isArray(item.summary)) checkPresent(item.summary, 'input.summary', report);
  if (!isSealedReasoning(item.encrypted_content)) {
    if (isFilled(item.encrypted_content)) {
      report('The encrypted content could not be verified.', { code: 'invalid_encrypted_content' });
    } else if (unstored) {
      const advice = 'Items are not persisted when `store` is set to false.';
      report(`Item with id '${id}' not found. ${advice}`, { param: 'input' });
    }
  }
  const led = isRecord(next) && (next.role === 'assistant' || /^(reasoning|.*_call)$/.test(String(next.type)));
  if (!led)
    report(`Item '${id}' of type 'reasoning' was provided without its required following item.`, { param: 'input' });
}

function createCalls({ report }: RequestContext) {
  const known = new Set<string>();
  const open = new Set<string>();
  const check = (id: unknown, param: string): id is string => {
    if (!isFilled(id)) {
      checkPresent(undefined, param, report);
      return false;
    }
    checkLength(id, ID_LENGTH, param, report);
    return true;
  };
  return {
    open(id: unknown, param: string) {
      if (!check(id, param)) return;
      if (known.has(id)) report(`Duplicate function call with call_id ${id}.`, { param: 'input' });
      known.add(id);
      open.add(id);
    },
    answer(id: unknown, param: string) {
      if (!check(id, param)) return;
      if (open.delete(id)) return;
      const message = known.has(id)
        ? `The function call with call_id ${id} is already closed.`
        : `No tool call found for function call output with call_id ${id}.`;
      report(message, { param: 'input' });
    },
    close() {
      for (const id of open) report(`No tool output found for function call ${id}.`, { param: 'input' });
      open.clear();
    },
  };
}

function assistantTurn({ messages }: Conversation): NeutralMessage & { role: 'assistant' } {
  const last = messages.at(-1);
  if (last?.role === 'assistant') return last;
  const turn = { role: 'assistant' as const, text: '', toolCalls: [] };
  messages.push(turn);
  return turn;
}
