// What a provider wants back unchanged with its next request: reasoning items, signatures, ids. It travels through the
// session as an opaque value, so what comes back is checked before it is believed.
import type { Api, AssistantMessage, Model } from '@earendil-works/pi-ai';

type Block = AssistantMessage['content'][number];

export interface Native {
  library: 'pi';
  api: string;
  provider: string;
  model: string;
  content: Block[];
}

export function toNative({ api, provider, model }: AssistantMessage, content: Block[]): Native {
  return { library: 'pi', api, provider, model, content };
}

export interface Expected {
  text: string;
  callIds: readonly string[];
  model: Model<Api>;
}

/** The stored blocks, if this model made them and they still tell the same text and calls as the message they belong to. */
export function fromNative(value: unknown, { text, callIds, model }: Expected): Native | undefined {
  if (!isNative(value)) return undefined;
  if (value.api !== model.api || value.provider !== model.provider || value.model !== model.id) return undefined;
  const ids = value.content.flatMap((block) => (block.type === 'toolCall' ? [block.id] : []));
  const same = ids.length === callIds.length && ids.every((id, index) => id === callIds[index]);
  return same && textOf(value.content) === text ? value : undefined;
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

function isBlock(block: unknown): block is Block {
  const candidate = block as Record<string, unknown> | null;
  switch (candidate?.type) {
    case 'text':
      return typeof candidate.text === 'string';
    case 'thinking':
      return typeof candidate.thinking === 'string';
    case 'toolCall':
      return (
        typeof candidate.id === 'string' &&
        typeof candidate.name === 'string' &&
        typeof candidate.arguments === 'object'
      );
    default:
      return false;
  }
}
