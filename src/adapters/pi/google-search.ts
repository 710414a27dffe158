// A search of the web by Gemini. Google's Chat Completions address has no search, so its own protocol is asked, with one question
// and nothing else: https://ai.google.dev/api/generate-content (`google_search`, `groundingMetadata`).
import type { Api, Model } from '@earendil-works/pi-ai';
import type { Usage } from '../../vocabulary/usage.ts';
import type { ModelEvent, ModelFailure, ModelRequest, WebSource } from '../adapter.ts';
import type { LibraryError } from './failure.ts';
import type { WireFetch } from './wire.ts';

export interface GoogleSearch {
  request: Pick<ModelRequest, 'system' | 'messages' | 'webSearch'>;
  model: Model<Api>;
  priced: boolean;
  /** Calls `onEvent` with each event before its frame is given. */
  fetch: WireFetch;
  /** Events that the wire has read and nobody has taken yet. */
  take(): unknown[];
  signal: AbortSignal;
  explain(error: LibraryError): ModelFailure;
}

interface Chunk {
  candidates?: {
    content?: { parts?: { text?: unknown; thought?: boolean }[] };
    finishReason?: string;
    groundingMetadata?: { groundingChunks?: { web?: { uri?: unknown; title?: unknown } }[] };
  }[];
  usageMetadata?: Record<string, unknown>;
}

export async function* searchWithGoogle(search: GoogleSearch): AsyncGenerator<ModelEvent> {
  const { request, model, priced, fetch, take, signal, explain } = search;
  const headers = { 'content-type': 'application/json', 'x-goog-api-key': 'stand-in' };
  const sources = new Map<string, WebSource>();
  let usage: Usage | undefined;
  let finish: string | undefined;
  try {
    const answer = await fetch.frames(addressOf(model), { headers, body: JSON.stringify(bodyOf(request)), signal });
    if (answer.refusal !== undefined) {
      yield { type: 'failure', failure: explain({ message: answer.refusal }) };
      return;
    }
    for await (const _ of answer.frames) {
      for (const chunk of take() as Chunk[]) {
        const [candidate] = chunk.candidates ?? [];
        const text = textOf(candidate);
        if (text !== '') yield { type: 'text-delta', text };
        for (const source of sourcesOf(candidate)) sources.set(source.url, source);
        usage = usageOf(chunk, priced ? model : undefined) ?? usage;
        finish = candidate?.finishReason ?? finish;
      }
    }
  } catch (error) {
    yield { type: 'failure', failure: explain({ message: (error as Error).message }), ...(usage && { usage }) };
    return;
  }
  const isCut = finish === 'MAX_TOKENS';
  if (finish !== 'STOP' && !isCut) {
    yield { type: 'failure', failure: explain({ message: finish, stopReason: finish }), ...(usage && { usage }) };
    return;
  }
  yield { type: 'sources', sources: [...sources.values()] };
  yield { type: 'finish', reason: isCut ? 'length' : 'stop', ...(usage && { usage }) };
}

/** Its own protocol is above its Chat Completions address. */
function addressOf({ baseUrl, id }: Model<Api>): string {
  const own = baseUrl.replace(/\/openai\/?$/, '').replace(/\/$/, '');
  return `${own}/models/${encodeURIComponent(id)}:streamGenerateContent?alt=sse`;
}

/** It has no filter for sites: the words of the question say which. */
function bodyOf({ system, messages, webSearch }: GoogleSearch['request']): object {
  const site = webSearch?.site === undefined ? '' : ` site:${webSearch.site}`;
  const text = messages.map((message) => message.text).join('\n\n');
  return {
    systemInstruction: { parts: system.map((each) => ({ text: each })) },
    contents: [{ role: 'user', parts: [{ text: text + site }] }],
    tools: [{ google_search: {} }],
  };
}

type Candidate = NonNullable<Chunk['candidates']>[number];

function textOf(candidate: Candidate | undefined): string {
  const parts = candidate?.content?.parts ?? [];
  return parts.map(({ text, thought }) => (typeof text === 'string' && !thought ? text : '')).join('');
}

function sourcesOf(candidate: Candidate | undefined): WebSource[] {
  return (candidate?.groundingMetadata?.groundingChunks ?? []).flatMap(({ web }) => {
    const { uri, title } = web ?? {};
    if (typeof uri !== 'string' || !/^https?:\/\//.test(uri)) return [];
    return [{ url: uri, ...(typeof title === 'string' && title !== '' && { title }) }];
  });
}

function usageOf({ usageMetadata }: Chunk, priced: Model<Api> | undefined): Usage | undefined {
  if (!usageMetadata) return undefined;
  const sum = (...names: string[]): number =>
    names.reduce((total, name) => total + (Number(usageMetadata[name]) || 0), 0);
  const inputTokens = sum('promptTokenCount', 'toolUsePromptTokenCount');
  const outputTokens = sum('candidatesTokenCount', 'thoughtsTokenCount');
  const cost = priced && (inputTokens * priced.cost.input + outputTokens * priced.cost.output) / 1e6;
  return { inputTokens, outputTokens, ...(cost !== undefined && { costUsd: cost }) };
}
