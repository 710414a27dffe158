// Our request in the library's words.
import type { Api, AssistantMessage, Context, Message, Model, Tool } from '@earendil-works/pi-ai';
import type { ModelMessage, ModelRequest } from '../adapter.ts';
import { fromNative } from './native.ts';

type AssistantTurn = Extract<ModelMessage, { role: 'assistant' }>;

const NO_USAGE: AssistantMessage['usage'] = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  totalTokens: 0,
  cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
};

export function toContext({ system, messages, tools }: ModelRequest, model: Model<Api>): Context {
  return {
    systemPrompt: system.filter((text) => text !== '').join('\n\n'),
    messages: messages.map((message) => toMessage(message, model)),
    // The library types schemas by their builder; on the wire they are plain JSON Schema, as ours are.
    tools: tools.map(({ name, description, inputSchema }) => ({ name, description, parameters: inputSchema }) as Tool),
  };
}

function toMessage(message: ModelMessage, model: Model<Api>): Message {
  switch (message.role) {
    case 'user':
      return { role: 'user', content: userContent(message), timestamp: 0 };
    case 'assistant':
      return toAssistant(message, model);
    case 'tool':
      return {
        role: 'toolResult',
        toolCallId: message.callId,
        toolName: message.toolName,
        content: resultContent(message),
        isError: message.isError,
        timestamp: 0,
      };
  }
}

function resultContent({ text, images = [] }: ToolMessage): ToolResultContent {
  return [
    // An empty result of a failed call is refused by some services.
    { type: 'text', text: text || '(no output)' },
    ...images.map((image) => ({ type: 'image' as const, ...image })),
  ];
}

type ToolMessage = Extract<ModelMessage, { role: 'tool' }>;
type ToolResultContent = Extract<Message, { role: 'toolResult' }>['content'];

function userContent({ text, images = [] }: Extract<ModelMessage, { role: 'user' }>): UserContent {
  if (images.length === 0) return text;
  return [{ type: 'text', text }, ...images.map((image) => ({ type: 'image' as const, ...image }))];
}

type UserContent = Extract<Message, { role: 'user' }>['content'];

function toAssistant({ text, toolCalls, native }: AssistantTurn, model: Model<Api>): AssistantMessage {
  const stored = fromNative(native, { text, toolCalls, model });
  return {
    role: 'assistant',
    // Without what the provider gave, the message is nobody's: the library then adapts its ids to the protocol.
    api: stored?.api ?? model.api,
    provider: stored?.provider ?? 'unknown',
    model: stored?.model ?? 'unknown',
    content: stored?.content ?? [
      ...(text === '' ? [] : [{ type: 'text' as const, text }]),
      ...toolCalls.map(({ id, name, args }) => ({
        type: 'toolCall' as const,
        id,
        name,
        arguments: args as AssistantArguments,
      })),
    ],
    usage: NO_USAGE,
    stopReason: toolCalls.length > 0 ? 'toolUse' : 'stop',
    timestamp: 0,
  };
}

type AssistantArguments = Extract<AssistantMessage['content'][number], { type: 'toolCall' }>['arguments'];
