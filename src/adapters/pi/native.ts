// What a provider wants back unchanged with its next request: reasoning items, signatures, ids. It is kept in the session's
// transcript as an opaque value, without the text and the arguments that the transcript holds anyway, and what comes back is
// checked before it is believed.
import type { Api, AssistantMessage, Model } from '@earendil-works/pi-ai';
import type { ModelToolCall } from '../adapter.ts';

type Block = AssistantMessage['content'][number];
type ToolCallBlock = Extract<Block, { type: 'toolCall' }>;
type TextBlock = Extract<Block, { type: 'text' }>;

/** A call's arguments are those of the message; so is the text, when it is all in one block. */
type KeptBlock =
  | Exclude<Block, ToolCallBlock | TextBlock>
  | Omit<ToolCallBlock, 'arguments'>
  | (Omit<TextBlock, 'text'> & { text?: string });

export interface Native {
  library: 'pi';
  api: string;
  provider: string;
  model: string;
  content: KeptBlock[];
  /** What the service wants back beside the blocks. */
  echo?: unknown;
}

export function toNative({ api, provider, model }: AssistantMessage, content: Block[]): Native {
  const isOneText = content.filter(({ type }) => type === 'text').length === 1;
  const kept = content.map((block): KeptBlock => {
    if (block.type === 'toolCall') {
      const { arguments: _arguments, ...rest } = block;
      return rest;
    }
    if (block.type !== 'text' || !isOneText) return block;
    const { text: _text, ...rest } = block;
    return rest;
  });
  return { library: 'pi', api, provider, model, content: kept };
}

export function withEcho(native: unknown, echo: unknown): unknown {
  return echo === undefined || !isNative(native) ? native : { ...native, echo };
}

export function echoOf(native: unknown): unknown {
  return isNative(native) ? native.echo : undefined;
}

export interface Expected {
  text: string;
  toolCalls: readonly ModelToolCall[];
  model: Model<Api>;
}

export interface Restored extends Pick<Native, 'api' | 'provider' | 'model'> {
  content: Block[];
}

/** The blocks as they came, if this model made them and they still tell the same text and calls as the message they belong to. */
export function fromNative(value: unknown, { text, toolCalls, model }: Expected): Restored | undefined {
  if (!isNative(value)) return undefined;
  const { api, provider, model: id, content: kept } = value;
  if (api !== model.api || provider !== model.provider || id !== model.id) return undefined;
  const ids = kept.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []));
  if (ids.length !== toolCalls.length || ids.some((each, index) => each !== toolCalls[index]?.id)) return undefined;
  let calls = 0;
  const content = kept.map((block): Block => {
    if (block.type === 'text') return { ...block, text: block.text ?? text };
    if (block.type !== 'toolCall') return block;
    const { args } = toolCalls[calls++] as ModelToolCall;
    return { ...block, arguments: args as ToolCallBlock['arguments'] };
  });
  return textOf(content) === text ? { api, provider, model: id, content } : undefined;
}

/** The text of an answer as a consumer put it together from the deltas. */
export function textOf(content: readonly Block[]): string {
  return content
    .flatMap((block) => (block.type === 'text' && block.text !== '' ? [block.text] : []))
    .reduce((before, text) => before + separator(before) + text, '');
}

/** Put between two separate texts of one answer. */
export function separator(before: string): string {
  return before === '' || before.endsWith('\n') ? '' : '\n\n';
}

function isNative(value: unknown): value is Native {
  const candidate = value as Partial<Native> | null;
  return (
    typeof candidate === 'object' &&
    candidate?.library === 'pi' &&
    typeof candidate.api === 'string' &&
    typeof candidate.provider === 'string' &&
    typeof candidate.model === 'string' &&
    Array.isArray(candidate.content) &&
    candidate.content.every(isBlock)
  );
}

function isBlock(block: unknown): block is KeptBlock {
  const candidate = block as Record<string, unknown> | null;
  switch (candidate?.type) {
    case 'text':
      return candidate.text === undefined || typeof candidate.text === 'string';
    case 'thinking':
      return typeof candidate.thinking === 'string';
    case 'toolCall':
      return typeof candidate.id === 'string' && typeof candidate.name === 'string';
    default:
      return false;
  }
}
