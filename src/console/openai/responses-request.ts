// POST /v1/responses: its body as what is asked. A conversation that we would have to have stored is refused: by default nothing is.
import type { ModelMessage, ModelToolCall } from '../../adapters/adapter.ts';
import { invalid } from './api-error.ts';
import {
  type ApiRequest,
  argumentsOf,
  asList,
  asObject,
  asText,
  checkConversation,
  contentOf,
  effortOf,
  type Json,
  jsonInstruction,
  toolOf,
  userMessage,
} from './api-request.ts';

const NOT_STORED =
  'nothing is stored: send the conversation as input, or name a stored session with the header X-Lainclaw-Session or with user';

export function parseResponsesRequest(body: Json): ApiRequest {
  for (const field of ['previous_response_id', 'conversation'])
    if (body[field] !== undefined && body[field] !== null) throw invalid(NOT_STORED, field);
  const system: string[] = typeof body.instructions === 'string' ? [body.instructions] : [];
  const messages: ModelMessage[] = [];
  const names = new Map<string, string>();
  if (typeof body.input === 'string') messages.push(userMessage({ text: body.input, images: [] }));
  else
    for (const [index, item] of asList(body.input, 'input').entries())
      addItem(asObject(item, `input[${index}]`), `input[${index}]`, { system, messages, names });
  checkConversation(messages);
  const format = jsonInstruction((body.text as { format?: unknown } | undefined)?.format);
  return {
    model: asText(body.model, 'model'),
    system: [...system, format].filter((text) => text !== '').join('\n\n'),
    messages,
    tools: body.tool_choice === 'none' ? [] : toolsOf(body.tools),
    effort: effortOf((body.reasoning as { effort?: unknown } | undefined)?.effort),
    ...(typeof body.user === 'string' && { user: body.user }),
    isStreamed: body.stream === true,
  };
}

function addItem(
  item: Json,
  param: string,
  { system, messages, names }: { system: string[]; messages: ModelMessage[]; names: Map<string, string> },
): void {
  const { type = 'message', role } = item;
  if (type === 'reasoning' || type === 'item_reference') return;
  if (type === 'function_call') {
    const call: ModelToolCall = {
      id: asText(item.call_id, `${param}.call_id`),
      name: asText(item.name, `${param}.name`),
      args: argumentsOf(item.arguments, `${param}.arguments`),
    };
    names.set(call.id, call.name);
    const last = messages.at(-1);
    // Calls of one answer, and the words before them, are items of their own.
    if (last?.role === 'assistant') last.toolCalls.push(call);
    else messages.push({ role: 'assistant', text: '', toolCalls: [call] });
    return;
  }
  if (type === 'function_call_output') {
    const callId = asText(item.call_id, `${param}.call_id`);
    const { text } = contentOf(item.output, `${param}.output`);
    messages.push({ role: 'tool', callId, toolName: names.get(callId) ?? '', text, isError: false });
    return;
  }
  if (type !== 'message') throw invalid(`${param}.type: ${String(type)} is not accepted`, `${param}.type`);
  const content = contentOf(item.content, `${param}.content`);
  if (role === 'system' || role === 'developer') system.push(content.text);
  else if (role === 'user') messages.push(userMessage(content));
  else if (role === 'assistant') messages.push({ role: 'assistant', text: content.text, toolCalls: [] });
  else throw invalid(`${param}.role: accepted are system, developer, user and assistant`, `${param}.role`);
}

function toolsOf(given: unknown): ApiRequest['tools'] {
  return asList(given ?? [], 'tools').map((tool, index) => {
    const definition = asObject(tool, `tools[${index}]`);
    if (definition.type !== 'function')
      throw invalid(`tools[${index}].type: accepted is function`, `tools[${index}].type`);
    return toolOf(definition, `tools[${index}]`);
  });
}
