// The library's modules, one per protocol, each loaded with the first request that needs it; and the options of each.
import type {
  Api,
  AssistantMessageEventStream,
  Context,
  Model,
  StreamOptions,
  ThinkingLevel,
  TranscriptContext,
} from '@earendil-works/pi-ai';
import type { Effort } from '../../config/effort.ts';
import type { Continuation } from './earlier-messages.ts';
import type { Echoes } from './echoes.ts';
import type { ApiName } from './model-table.ts';
import { finishPayload } from './payload.ts';

type Stream = (model: Model<Api>, context: TranscriptContext, options: StreamOptions) => AssistantMessageEventStream;
type Module = { stream: unknown; streamSimple: unknown };

const MODULES: Record<ApiName, () => Promise<Module>> = {
  'openai-codex-responses': () => import('@earendil-works/pi-ai/api/openai-codex-responses'),
  'openai-responses': () => import('@earendil-works/pi-ai/api/openai-responses'),
  'anthropic-messages': () => import('@earendil-works/pi-ai/api/anthropic-messages'),
  'openai-completions': () => import('@earendil-works/pi-ai/api/openai-completions'),
  'mistral-conversations': () => import('@earendil-works/pi-ai/api/mistral-conversations'),
};

export interface Ask {
  model: Model<Api>;
  context: Context;
  effort: Effort;
  echoes: Echoes | undefined;
  /** Where the context begins behind messages that were written for an earlier request. */
  continuation: Continuation | undefined;
  /** Of the ChatGPT account, which its backend wants named. */
  accountId: string | undefined;
  sessionId: string;
  /** Goes behind the last message. */
  turnNote: string | undefined;
  /** Changes the payload before it is sent. */
  addTo?(payload: Record<string, unknown>): void;
  fetch: typeof globalThis.fetch;
  signal: AbortSignal;
}

export async function ask(request: Ask): Promise<AssistantMessageEventStream> {
  const { model, context, effort, echoes, continuation, accountId, sessionId, turnNote, addTo, fetch, signal } =
    request;
  const [module, { normalizeContext }] = await Promise.all([
    MODULES[model.api as ApiName](),
    import('@earendil-works/pi-ai/utils/transcript'),
  ]);
  const options: StreamOptions = {
    apiKey: standIn(accountId),
    fetch,
    signal,
    sessionId,
    transport: 'sse',
    cacheRetention: 'short',
    maxRetries: 0,
    // Ours end a request that takes too long; the library's own would cut long answers of Mistral.
    timeoutMs: LONGEST_REQUEST_MS,
    onPayload(payload: unknown) {
      continuation?.complete(payload as object);
      const finished = finishPayload(echoes ? echoes.addTo(payload) : payload, model, turnNote);
      addTo?.(finished as Record<string, unknown>);
      return finished;
    },
    ...thinking(model, effort),
  };
  // Which of Mistral's two ways to think a model has is known only to the library's simple door.
  const stream = model.api === 'mistral-conversations' ? module.streamSimple : module.stream;
  return (stream as Stream)(model, normalizeContext(context), options);
}

/** The library wants a key, and reads the account out of it; the real one is put in on the wire. */
function standIn(accountId = 'none'): string {
  return `stand-in.${btoa(JSON.stringify({ 'https://api.openai.com/auth': { chatgpt_account_id: accountId } }))}.`;
}

function thinking(model: Model<Api>, wanted: Effort): object {
  const level = model.reasoning ? nearestLevel(model, wanted) : undefined;
  if (model.api === 'mistral-conversations') return level ? { reasoning: level } : {};
  if (model.api !== 'anthropic-messages') return level ? { reasoningEffort: level } : {};
  const limits = { maxTokens: Math.min(model.maxTokens, LONGEST_ANSWER) };
  if (!level) return { ...limits, ...(model.reasoning ? { thinkingEnabled: false } : {}) };
  return { ...limits, thinkingEnabled: true, effort: level, thinkingBudgetTokens: BUDGETS[level] ?? BUDGETS.high };
}

/** A service adds the longest possible answer to the conversation's length before it accepts it. */
const LONGEST_ANSWER = 32_000;
const LONGEST_REQUEST_MS = 60 * 60_000;
const BUDGETS: Partial<Record<ThinkingLevel, number>> = { minimal: 1024, low: 2048, medium: 8192, high: 16_384 };
const LEVELS: ThinkingLevel[] = ['minimal', 'low', 'medium', 'high', 'xhigh', 'max'];

/** The level asked for, or the next one the model has; undefined for none. */
function nearestLevel({ thinkingLevelMap: map = {} }: Model<Api>, wanted: Effort): ThinkingLevel | undefined {
  if (wanted === 'off' && map.off !== null) return undefined;
  const from = LEVELS.indexOf(wanted === 'off' ? 'low' : wanted);
  const isOffered = (level: ThinkingLevel): boolean => map[level] !== null;
  return LEVELS.slice(from).find(isOffered) ?? LEVELS.slice(0, from).findLast(isOffered);
}
