// POST /v1/chat/completions: its body as what is asked.
import type { ModelMessage } from '../../adapters/adapter.ts';
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

export interface ChatRequest extends ApiRequest {
  /** A last chunk says what was used. */
  includesUsage: boolean;
}

export function parseChatRequest(body: Json): ChatRequest {
  if (body.n !== undefined && body.n !== 1) throw invalid('n must be 1: there is one answer', 'n');
  const system: string[] = [];
  const messages: ModelMessage[] = [];
  const names = new Map<string, string>();
  for (const [index, value] of asList(body.messages, 'messages').entries()) {
    const param = `messages[${index}]`;
    const message = asObject(value, param);
    const content = contentOf(message.content, `${param}.content`);
    switch (message.role) {
      case 'system':
      case 'developer':
        system.push(content.text);
        break;
      case 'user':
        messages.push(userMessage(content));
        break;
      case 'assistant': {
        const toolCalls = asList(message.tool_calls ?? [], `${param}.tool_calls`).map((call, at) => {
          const { id, function: called } = asObject(call, `${param}.tool_calls[${at}]`);
          const { name, arguments: args } = asObject(called, `${param}.tool_calls[${at}].function`);
          return {
            id: asText(id, `${param}.tool_calls[${at}].id`),
            name: asText(name, `${param}.tool_calls[${at}].function.name`),
            args: argumentsOf(args, `${param}.tool_calls[${at}].function.arguments`),
          };
        });
        for (const { id, name } of toolCalls) names.set(id, name);
        messages.push({ role: 'assistant', text: content.text, toolCalls });
        break;
      }
      case 'tool': {
        const callId = asText(message.tool_call_id, `${param}.tool_call_id`);
        messages.push({ role: 'tool', callId, toolName: names.get(callId) ?? '', text: content.text, isError: false });
        break;
      }
      default:
        throw invalid(`${param}.role: accepted are system, developer, user, assistant and tool`, `${param}.role`);
    }
  }
  checkConversation(messages);
  const format = jsonInstruction(body.response_format);
  return {
    model: asText(body.model, 'model'),
    system: [...system, format].filter((text) => text !== '').join('\n\n'),
    messages,
    tools: body.tool_choice === 'none' ? [] : toolsOf(body.tools),
    effort: effortOf(body.reasoning_effort),
    ...(typeof body.user === 'string' && { user: body.user }),
    isStreamed: body.stream === true,
    includesUsage: (body.stream_options as { include_usage?: unknown } | undefined)?.include_usage === true,
  };
}

function toolsOf(given: unknown): ApiRequest['tools'] {
  return asList(given ?? [], 'tools').map((tool, index) => {
    const param = `tools[${index}]`;
    const { type, function: definition } = asObject(tool, param);
    if (type !== 'function') throw invalid(`${param}.type: accepted is function`, `${param}.type`);
    return toolOf(asObject(definition, `${param}.function`), `${param}.function`);
  });
}
