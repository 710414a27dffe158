// What both protocols ask for, in one form. The conversation is the client's own: every call in it has its result.
import type { ModelImage, ModelMessage, ModelTool } from '../../adapters/adapter.ts';
import { imageType } from '../../lib/image-type.ts';
import { invalid } from './api-error.ts';

export interface ApiRequest {
  model: string;
  /** What the client says in the system role. */
  system: string;
  /** Up to and with the last message. */
  messages: ModelMessage[];
  tools: ModelTool[];
  effort?: 'minimal' | 'low' | 'medium' | 'high';
  /** Names a stored session. */
  user?: string;
  isStreamed: boolean;
}

export type Json = Record<string, unknown>;

export function asObject(value: unknown, param: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalid(`${param} must be an object`, param);
  return value as Json;
}

export function asList(value: unknown, param: string): unknown[] {
  if (!Array.isArray(value)) throw invalid(`${param} must be a list`, param);
  return value;
}

export function asText(value: unknown, param: string): string {
  if (typeof value !== 'string') throw invalid(`${param} must be a text`, param);
  return value;
}

/** A text, or a list of parts that hold text and pictures. */
export function contentOf(value: unknown, param: string): { text: string; images: ModelImage[] } {
  if (value === undefined || value === null) return { text: '', images: [] };
  if (typeof value === 'string') return { text: value, images: [] };
  const images: ModelImage[] = [];
  const texts = asList(value, param).map((part, index) => {
    const at = `${param}[${index}]`;
    const { type, text, refusal, image_url: picture } = asObject(part, at);
    if (type === 'text' || type === 'input_text' || type === 'output_text') return asText(text, at);
    if (type === 'refusal') return asText(refusal, at);
    if (type !== 'image_url' && type !== 'input_image')
      throw invalid(`${at}: accepted are texts and pictures, not ${String(type)}`, at);
    images.push(imageOf(typeof picture === 'string' ? picture : asObject(picture, at).url, at));
    return '';
  });
  return { text: texts.filter((text) => text !== '').join('\n'), images };
}

function imageOf(address: unknown, param: string): ModelImage {
  const [, data] = /^data:image\/[\w.+-]+;base64,([A-Za-z0-9+/=\s]+)$/.exec(String(address)) ?? [];
  const mimeType = data && imageType(Buffer.from(data.slice(0, 64), 'base64'));
  if (!data || !mimeType)
    throw invalid(`${param}: a picture must be a data: address with a PNG, JPEG, GIF or WebP; none is fetched`, param);
  return { mimeType, data };
}

export function userMessage(content: { text: string; images: ModelImage[] }): ModelMessage {
  const { text, images } = content;
  return { role: 'user', text, ...(images.length > 0 && { images }) };
}

export function argumentsOf(value: unknown, param: string): Record<string, unknown> {
  try {
    return asObject(JSON.parse(asText(value, param) || '{}'), param);
  } catch {
    throw invalid(`${param} must be a JSON object, as text`, param);
  }
}

export function toolOf(definition: Json, param: string): ModelTool {
  const { name, description, parameters } = definition;
  const given = asText(name, `${param}.name`);
  if (!/^[\w-]{1,64}$/.test(given))
    throw invalid(`${param}.name: letters, digits, _ and -, at most 64`, `${param}.name`);
  return {
    name: given,
    description: typeof description === 'string' ? description : '',
    inputSchema:
      parameters === undefined || parameters === null
        ? { type: 'object', properties: {} }
        : asObject(parameters, `${param}.parameters`),
  };
}

const EFFORTS = ['minimal', 'low', 'medium', 'high'] as const;

export function effortOf(value: unknown): ApiRequest['effort'] {
  return EFFORTS.find((effort) => effort === value);
}

/** Throws when a call has no result, a result no call, or when there is nothing to answer. */
export function checkConversation(messages: readonly ModelMessage[]): void {
  const open = new Set<string>();
  for (const message of messages) {
    if (message.role === 'tool') {
      if (!open.delete(message.callId))
        throw invalid(`the result of "${message.callId}" has no call in the answer before it`, 'messages');
      continue;
    }
    if (open.size > 0) throw invalid(`these calls have no result: ${[...open].join(', ')}`, 'messages');
    if (message.role === 'assistant') for (const { id } of message.toolCalls) open.add(id);
  }
  if (open.size > 0) throw invalid(`these calls have no result: ${[...open].join(', ')}`, 'messages');
  const last = messages.at(-1);
  if (!last || last.role === 'assistant' || (last.role === 'user' && last.text.trim() === '' && !last.images))
    throw invalid('the last message must be a question, or the result of a call', 'messages');
}

/** JSON is asked for in words: no provider is made to keep to it. */
export function jsonInstruction(format: unknown): string {
  if (typeof format !== 'object' || format === null) return '';
  const { type, json_schema: wrapped, schema } = format as Json;
  if (type === 'json_object') return 'Answer with one JSON object and nothing else.';
  if (type !== 'json_schema') return '';
  const given = schema ?? (wrapped as Json | undefined)?.schema;
  return `Answer with JSON and nothing else. It must fit this JSON Schema: ${JSON.stringify(given)}`;
}
