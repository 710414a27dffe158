// Embeddings from a server that speaks the OpenAI protocol: OpenAI, Ollama (http://localhost:11434/v1), llama.cpp and others.
import { MemoryError } from '../memory-error.ts';
import type { EmbeddingModel } from './embeddings.ts';

const TIMEOUT_MS = 60_000;
const LONGEST_REASON = 200;

export interface EndpointOptions {
  /** Address with its version: "http://localhost:11434/v1". */
  baseUrl: string;
  model: string;
  apiKey?: string;
  fetch?: typeof fetch;
}

export function createEndpointModel(options: EndpointOptions): EmbeddingModel {
  const { baseUrl, model, apiKey, fetch: request = fetch } = options;
  const url = `${baseUrl.replace(/\/+$/, '')}/embeddings`;
  return {
    name: `${model} @ ${new URL(baseUrl).host}`,
    async embed(texts, _kind, signal) {
      if (texts.length === 0) return [];
      const limit = AbortSignal.timeout(TIMEOUT_MS);
      let response: Response;
      try {
        response = await request(url, {
          method: 'POST',
          headers: { 'content-type': 'application/json', ...(apiKey ? { authorization: `Bearer ${apiKey}` } : {}) },
          body: JSON.stringify({ model, input: texts, encoding_format: 'float' }),
          signal: signal ? AbortSignal.any([signal, limit]) : limit,
          redirect: 'error',
        });
      } catch (error) {
        signal?.throwIfAborted();
        throw new MemoryError(
          'MEMORY_EMBEDDING',
          `the embedding server at ${url} cannot be reached: is it running?`,
          error,
        );
      }
      if (!response.ok) {
        const said = (await response.text().catch(() => '')).slice(0, LONGEST_REASON);
        throw new MemoryError(
          'MEMORY_EMBEDDING',
          `the embedding server at ${url} answered ${response.status}: ${said}`,
        );
      }
      return vectorsOf(await response.json().catch(() => undefined), texts.length, url);
    },
    close() {},
  };
}

function vectorsOf(answer: unknown, wanted: number, url: string): Float32Array[] {
  const data = (answer as { data?: unknown })?.data;
  const vectors: Float32Array[] = [];
  if (Array.isArray(data)) {
    for (const [place, entry] of data.entries()) {
      const { index = place, embedding } = (entry ?? {}) as { index?: number; embedding?: unknown };
      if (Array.isArray(embedding) && embedding.length > 0 && embedding.every(Number.isFinite))
        vectors[index] = Float32Array.from(embedding as number[]);
    }
  }
  const isWhole =
    vectors.length === wanted && Array.from(vectors).every((vector) => vector?.length === vectors[0]?.length);
  if (isWhole) return vectors;
  throw new MemoryError(
    'MEMORY_EMBEDDING',
    `the embedding server at ${url} did not give ${wanted} vectors of one length`,
  );
}
