// The calls of a finished answer. The library mends broken arguments so that it can show them while they stream; what
// is executed must be what the model wrote, so the raw text is parsed again, strictly. A call that fails is text.
import type { AssistantMessage, ToolCall } from '@earendil-works/pi-ai';
import { DEEPEST_ARGS, isDeeperThan } from '../../lib/depth.ts';
import type { ModelToolCall } from '../adapter.ts';

type Block = AssistantMessage['content'][number];

export interface ReadCalls {
  calls: ModelToolCall[];
  /** What the calls that cannot be executed are shown as. */
  text: string;
  /** The answer's blocks with each such call replaced by its text. */
  content: Block[];
}

export interface RawArguments {
  /** Undefined when nothing was sent for it. */
  of(call: ToolCall, contentIndex: number): string | undefined;
}

export interface ReadOptions {
  raw: RawArguments;
  /** False when the answer was cut at its length limit: then no call can be trusted to be whole. */
  complete: boolean;
  /** Ids of calls made earlier in the conversation. */
  usedIds: Iterable<string>;
}

export function readCalls(content: readonly Block[], { raw, complete, usedIds }: ReadOptions): ReadCalls {
  const calls: ModelToolCall[] = [];
  const texts: string[] = [];
  const ids = new Set(usedIds);

  const blocks = content.map((block, index): Block => {
    if (block.type !== 'toolCall') return block;
    const source = raw.of(block, index) ?? '';
    const args = complete ? parseArguments(source) : undefined;
    if (!args || typeof block.name !== 'string' || block.name === '') {
      const text = `[This tool call was not made, its arguments are not a whole JSON object: ${block.name || 'no name'} ${source}]`;
      texts.push(text);
      return { type: 'text', text };
    }
    const id = unusedId(block.id, ids);
    ids.add(id);
    calls.push({ id, name: block.name, args });
    return { ...block, id, arguments: args as ToolCall['arguments'] };
  });

  return { calls, text: texts.join('\n\n'), content: blocks };
}

/** A tool without parameters may be called with nothing at all. */
function parseArguments(source: string): Record<string, unknown> | undefined {
  if (source.trim() === '') return {};
  try {
    const value: unknown = JSON.parse(source);
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject && !isDeeperThan(value, DEEPEST_ARGS) ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

/** Small servers send no id, or the same one twice; each result must find its call. */
function unusedId(id: string | undefined, used: ReadonlySet<string>): string {
  if (id && !used.has(id)) return id;
  return `call_${crypto.randomUUID().replaceAll('-', '')}`;
}
