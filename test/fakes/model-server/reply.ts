// What the fake model answers: one reply per request, told without naming a provider. A script that is a list is used
// in order; a script that is a function sees the request, may wait, and may throw (the client then gets a 500).
import type { NeutralRequest } from './neutral-request.ts';

export interface ReplyToolCall {
  /** Made up, and unique in this process, when absent. */
  id?: string;
  name: string;
  /** A string is sent as it is, valid JSON or not. */
  args: object | string;
  /** Beside the call, as Gemini's Chat Completions sends it. */
  signature?: string;
}

export type ReplyFinish = 'stop' | 'tool-calls' | 'length' | 'refused';

export interface ReplyUsage {
  /** All of the request, also what was cached. */
  input: number;
  output: number;
  cacheRead?: number;
  cacheWrite?: number;
}

export interface ReplySearch {
  query: string;
  /** The first one is cited. */
  pages: readonly { url: string; title: string; age?: string }[];
  /** Of Anthropic: why there are no pages. */
  error?: string;
}

export interface Reply {
  /** A list is sent as one delta per entry. */
  text?: string | string[];
  toolCalls?: ReplyToolCall[];
  reasoning?: string;
  /** The service searched the web itself, before its text. The request must have offered that. */
  search?: ReplySearch;
  /** `tool-calls` when there are any, else `stop`. */
  finish?: ReplyFinish;
  usage?: ReplyUsage;
  fault?: Fault;
  /** Sent in place of the rendered body. */
  rawBody?: string;
}

/** What goes wrong. Bytes are counted in the body, after the headers. */
export type Fault =
  /** Without a body, the service's own error for that status. */
  | { kind: 'status'; status: number; body?: unknown; headers?: Record<string, string> }
  /** The service's own refusal of a conversation that is too long. */
  | { kind: 'context-length' }
  /** The service's own in-stream failure, in place of frame `at` and all that follow it. */
  | { kind: 'stream-error'; at: number; code?: string; message?: string }
  /** Never ends until the client closes. Without `afterBytes` not even headers are sent. */
  | { kind: 'hang'; afterBytes?: number }
  /** The first frame that holds these words is sent again and again until the client closes. */
  | { kind: 'endless'; words: string }
  /** The socket is destroyed. */
  | { kind: 'cut'; afterBytes: number }
  /** The HTTP body ends in good order, the stream inside it does not. */
  | { kind: 'end-early'; afterBytes: number }
  /** The data of frame `at` is not JSON. */
  | { kind: 'malformed-frame'; at: number }
  | { kind: 'delay'; beforeHeadersMs?: number; betweenFramesMs?: number }
  /** Every write carries `chunk` bytes, so that frames and characters arrive in pieces. */
  | { kind: 'slow-bytes'; chunk: number };

export type Script = Reply[] | ((request: NeutralRequest, index: number) => Reply | Promise<Reply>);

/** A reply with every default filled in, ready to be rendered. */
export interface CompleteReply {
  deltas: string[];
  text: string;
  toolCalls: { id: string; name: string; args: string; signature?: string }[];
  reasoning: string;
  search?: ReplySearch;
  finish: ReplyFinish;
  usage: ReplyUsage;
}

const DEFAULT_USAGE: ReplyUsage = { input: 12, output: 7 };

export function completeReply(reply: Reply, callId: () => string): CompleteReply {
  const deltas = typeof reply.text === 'string' ? [reply.text] : (reply.text ?? []);
  const toolCalls = (reply.toolCalls ?? []).map(({ id, name, args, signature }) => ({
    id: id ?? callId(),
    name,
    args: typeof args === 'string' ? args : JSON.stringify(args),
    ...(signature !== undefined && { signature }),
  }));
  return {
    deltas,
    text: deltas.join(''),
    toolCalls,
    reasoning: reply.reasoning ?? '',
    ...(reply.search && { search: reply.search }),
    finish: reply.finish ?? (toolCalls.length > 0 ? 'tool-calls' : 'stop'),
    usage: reply.usage ?? DEFAULT_USAGE,
  };
}
