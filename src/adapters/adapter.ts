// The contract of a model provider: one request in, a stream of events out, failure as a value.
// `stream` must not throw: it ends with exactly one `finish` or one `failure`, and after cancellation with `failure`
// of code `cancelled`. Tool calls are yielded only once they are complete; a stream cut before its finish marker is a
// `protocol` failure, whatever arrived before it.
import type { Effort } from '../config/effort.ts';
import type { Usage } from '../vocabulary/usage.ts';

export type ModelMessage =
  | { role: 'user'; text: string; images?: ModelImage[] }
  | {
      role: 'assistant';
      text: string;
      toolCalls: ModelToolCall[] /** What the provider wants back unchanged. */;
      native?: unknown;
    }
  /** Where the model cannot see, an adapter says so in the text in place of the images. */
  | { role: 'tool'; callId: string; toolName: string; text: string; images?: ModelImage[]; isError: boolean };

export interface ModelImage {
  mimeType: string;
  /** Base64. */
  data: string;
}

export interface ModelToolCall {
  id: string;
  name: string;
  args: Record<string, unknown>;
  /** What the model wrote in place of arguments, when that is not a whole JSON object; `args` is empty then. */
  malformed?: string;
}

export interface ModelTool {
  name: string;
  description: string;
  inputSchema: object;
}

export interface ModelRequest {
  model?: string;
  /** The profile of `auth-profiles.json` to sign in with; the active one when absent. */
  profileId?: string;
  /** Everything said in the system role, in order. */
  system: string[];
  /** Every tool message has its call in the assistant message before it. */
  messages: ModelMessage[];
  /**
   * What holds for this request only (the date, what is remembered). It goes behind the last message, so that the next request
   * begins with the same bytes as this one.
   */
  turnNote?: string;
  tools: readonly ModelTool[];
  /** The provider's own search of the web is offered in the place of tools; only to an adapter that `searchesWeb`. */
  webSearch?: WebSearchOffer;
  /** How long it thinks, where it can; the provider's own default when absent. */
  effort?: Effort;
  sessionId: string;
  /** Called when anything arrives from the provider, also what is not shown (keep-alive): proof of life. */
  onActivity?: () => void;
}

export interface WebSearchOffer {
  /** Only pages of this host. */
  site?: string;
}

/** A page that the provider's search found. */
export interface WebSource {
  url: string;
  title?: string;
  /** As the provider writes it. */
  date?: string;
}

export type FinishReason = 'stop' | 'tool-calls' | 'length';

export type ModelFailureCode =
  | 'auth'
  | 'rate_limit'
  | 'overloaded'
  | 'context_length'
  | 'network'
  | 'protocol'
  | 'refused'
  | 'cancelled';

export interface ModelFailure {
  code: ModelFailureCode;
  /** Says what to do, names no secret. */
  message: string;
  /** In a few words and without what to do, for when it is tried again anyway. */
  brief?: string;
  /** Asking again would end the same way, whatever the code says. */
  isFinal?: boolean;
  /** From Retry-After, when the provider sent one. */
  retryAfterMs?: number;
  /** What the model cannot do, where that is why the request was refused. */
  lacks?: 'tools' | 'effort' | 'pictures';
  /** Of a request that was too long: the tokens that the model can take in, where the service says it. */
  contextWindow?: number;
}

export interface AnsweredBy {
  provider: string;
  route: string;
  model?: string;
  profileId?: string;
}

export type ModelEvent =
  /** What was streamed so far in this call is void: it is being asked again. */
  | { type: 'restart'; failure: ModelFailure; waitMs: number }
  /** One line for the person: something is done differently from what was asked. */
  | { type: 'notice'; text: string }
  | { type: 'text-delta'; text: string }
  /** What the model thinks before it answers, where the provider shows it. */
  | { type: 'thinking-delta'; text: string }
  | { type: 'tool-call'; call: ModelToolCall }
  /** Before the finish: what the provider's search found, pages that the answer cites first. */
  | { type: 'sources'; sources: WebSource[] }
  /** `answeredBy` is set when a fallback provider answered. */
  | { type: 'finish'; reason: FinishReason; usage?: Usage; native?: unknown; answeredBy?: AnsweredBy }
  | { type: 'failure'; failure: ModelFailure; usage?: Usage };

export interface ModelDescription {
  profileId?: string;
  model?: string;
  /** Tokens the model can take in; absent when unknown. */
  contextWindow?: number;
  /** Its service may know a smaller number, and was not asked: `lookUpWindow` asks. */
  isWindowOpen?: boolean;
}

export interface Adapter {
  readonly provider: string;
  /** The contract's `route` of a turn answered by this provider. */
  readonly route: string;
  /** Whether tools are worth offering to it. */
  readonly callsTools: boolean;
  /** Whether its provider searches the web itself: `webSearch` of a request. */
  readonly searchesWeb?: boolean;
  /** The profile and model a request would use, told before it is sent. */
  describe(request: { model?: string; profileId?: string }, signal?: AbortSignal): Promise<ModelDescription>;
  /** Asks the service how many tokens the model takes in. Never throws. */
  lookUpWindow?(request: { model?: string; profileId?: string }, signal?: AbortSignal): Promise<number | undefined>;
  stream(request: ModelRequest, signal: AbortSignal): AsyncIterable<ModelEvent>;
}
