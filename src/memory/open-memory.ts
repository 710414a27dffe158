// Puts a memory together from settings: which embedding model, if any, and how large a chunk.
import type { Archive } from '../storage/archive.ts';
import { createEmbeddings, noEmbeddings } from './embeddings/embeddings.ts';
import { createMemory, type Memory } from './memory.ts';

export interface EmbeddingSettings {
  /** Of a server that speaks the OpenAI protocol, Ollama for example. */
  baseUrl?: string;
  model?: string;
  apiKey?: string;
}

export interface OpenMemoryOptions {
  archive: Archive;
  embedding: EmbeddingSettings;
  chunkSize?: number;
  now(): number;
  newId(prefix: string): string;
}

export function openMemory({ archive, embedding, chunkSize, now, newId }: OpenMemoryOptions): Memory {
  const { baseUrl, model, apiKey } = embedding;
  const embeddings =
    baseUrl === undefined || model === undefined
      ? noEmbeddings
      : createEmbeddings(async () => {
          const { createEndpointModel } = await import('./embeddings/endpoint.ts');
          return createEndpointModel({ baseUrl, model, apiKey });
        });
  return createMemory({ archive, embeddings, chunkSize, now, newId });
}
