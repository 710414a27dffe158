// The calls of a finished answer. The library repairs broken arguments so that it can show them while they stream; what
// is executed must be what the model wrote, so the raw text is parsed again, strictly. A call that fails is marked.
import type { AssistantMessage, ToolCall } from '@earendil-works/pi-ai';
import { DEEPEST_ARGS, isDeeperThan } from '../../lib/depth.ts';
import type { ModelToolCall } from '../adapter.ts';

type Block = AssistantMessage['content'][number];

export interface ReadCalls {
  calls: ModelToolCall[];
  /** The answer's blocks with the ids and arguments of these calls. */
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
  const ids = content.some(({ type }) => type === 'toolCall') ? new Set(usedIds) : new Set<string>();

  const blocks = content.map((block, index): Block => {
    if (block.type !== 'toolCall') return block;
    const source = raw.of(block, index) ?? '';
    const args = complete ? parseArguments(source) : undefined;
    const name = typeof block.name === 'string' && block.name !== '' ? block.name : undefined;
    const id = unusedId(block.id, ids);
    ids.add(id);
    const isGood = args !== undefined && name !== undefined;
    const call = { id, name: name ?? UNNAMED, args: isGood ? args : {}, ...(!isGood && { malformed: source }) };
    calls.push(call);
    return { ...block, id, name: call.name, arguments: call.args as ToolCall['arguments'] };
  });

  return { calls, content: blocks };
}

/** Replaces a name that the model left out: services take no call without one. */
const UNNAMED = 'unnamed';

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
