// What the conformance suite talks to, and how it reads an answer.
import { expect } from 'vitest';
import type {
  Adapter,
  ModelEvent,
  ModelMessage,
  ModelRequest,
  ModelTool,
  ModelToolCall,
} from '../../src/adapters/adapter.ts';

/** One answer of the server. `test/fakes/model-server` takes it as it is. */
export interface ScriptedReply {
  text?: string | string[];
  toolCalls?: { id?: string; name: string; args: object | string }[];
  reasoning?: string;
  finish?: 'stop' | 'tool-calls' | 'length' | 'refused';
  usage?: { input: number; output: number };
  fault?:
    | { kind: 'status'; status: number; body?: unknown; headers?: Record<string, string> }
    | { kind: 'context-length' }
    | { kind: 'stream-error'; at: number; code?: string; message?: string }
    | { kind: 'hang'; afterBytes?: number }
    | { kind: 'cut'; afterBytes: number }
    | { kind: 'end-early'; afterBytes: number }
    | { kind: 'malformed-frame'; at: number }
    | { kind: 'slow-bytes'; chunk: number };
  rawBody?: string;
}

export interface Subject {
  adapter: Adapter;
  /** Absent for an adapter without a server. */
  server?: {
    /** Every request is answered by the next reply. */
    follow(script: ScriptedReply[]): void;
    /** What the real service would have refused. */
    readonly violations: readonly string[];
    /** Resolves when the client has hung up on the last request. */
    clientGone(): Promise<unknown>;
    requestCount(): number;
    /** Of the last request, as JSON. */
    lastBody(): string;
  };
  /** Must appear in nothing the adapter says. */
  secrets: readonly string[];
  close(): Promise<void>;
}

export const WEATHER: ModelTool = {
  name: 'weather',
  description: 'The weather of a city.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

export function requestOf(...messages: ModelMessage[]): ModelRequest {
  const asked: ModelMessage[] = messages.length > 0 ? messages : [{ role: 'user', text: 'What is the weather?' }];
  return { system: ['Be brief.', 'Be kind.'], messages: asked, tools: [WEATHER], sessionId: 'session-1' };
}

/** Reads a stream to its end, holding it to the contract: one ending, last, and calls only right before a finish. */
export async function collect(
  adapter: Adapter,
  request: ModelRequest,
  signal: AbortSignal = new AbortController().signal,
): Promise<Collected> {
  const events: ModelEvent[] = [];
  for await (const event of adapter.stream(request, signal)) events.push(event);
  const ending = events.at(-1);
  expect(events.filter(({ type }) => type === 'finish' || type === 'failure')).toEqual([ending]);
  if (ending?.type !== 'finish' && ending?.type !== 'failure') throw new Error('the stream has no ending');
  const calls = events.flatMap((event) => (event.type === 'tool-call' ? [event.call] : []));
  if (ending.type === 'failure') expect(calls).toEqual([]);
  else expect(events.slice(-1 - calls.length, -1).every(({ type }) => type === 'tool-call')).toBe(true);
  const sinceRestart = events.slice(events.findLastIndex(({ type }) => type === 'restart') + 1);
  const text = sinceRestart.map((event) => (event.type === 'text-delta' ? event.text : '')).join('');
  return { events, ending, calls, text };
}

export interface Collected {
  events: ModelEvent[];
  ending: Extract<ModelEvent, { type: 'finish' | 'failure' }>;
  calls: ModelToolCall[];
  text: string;
}

/** The next request of a conversation: what the model said, and a result for each of its calls. */
export function continued(request: ModelRequest, { ending, calls, text }: Collected): ModelRequest {
  const native = ending.type === 'finish' ? ending.native : undefined;
  const results = calls.map(
    ({ id, name, args }): ModelMessage => ({
      role: 'tool',
      callId: id,
      toolName: name,
      text: `rain in ${args.city}`,
      isError: false,
    }),
  );
  return {
    ...request,
    messages: [...request.messages, { role: 'assistant', text, toolCalls: calls, native }, ...results],
  };
}
