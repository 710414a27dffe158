// Opens memory with the chosen embedding model, if any, and the configured chunk size.

import type { Locks } from '../storage/locks.ts';
import type { SharedArchive } from '../storage/shared-archive.ts';
import { createEmbeddings, type EmbeddingModel } from './embeddings/embeddings.ts';
import type { LocalModelOptions } from './embeddings/local-model.ts';
import { createMemory, type SharedMemory } from './memory.ts';
import { MemoryError } from './memory-error.ts';

/** A server that speaks the OpenAI protocol, Ollama for example. */
export interface EndpointSettings {
  baseUrl?: string;
  model?: string;
  apiKey?: string;
}

export interface OpenMemoryOptions {
  archive: SharedArchive;
  locks: Locks;
  endpoint: EndpointSettings;
  /** The owner's choice, read at each use: a model's name, "endpoint" or "none"; undefined when nobody chose. */
  choice(): Promise<string | undefined>;
  localModel(name: string): Promise<LocalModelOptions>;
  chunkSize?: number;
  now(): number;
  timezone(): string;
  newId(prefix: string): string;
}

export function openMemory(options: OpenMemoryOptions): SharedMemory {
  const { archive, locks, endpoint, choice, localModel, chunkSize, now, timezone, newId } = options;
  const embeddings = createEmbeddings({
    locks,
    async choose() {
      const chosen = (await choice()) ?? (hasEndpoint(endpoint) ? 'endpoint' : 'none');
      return chosen === 'none' ? undefined : chosen;
    },
    async open(chosen) {
      if (chosen === 'endpoint') return openEndpoint(endpoint);
      const [{ createLocalModel }, found] = await Promise.all([
        import('./embeddings/local-model.ts'),
        localModel(chosen),
      ]);
      return createLocalModel(found);
    },
  });
  return createMemory({ archive, embeddings, chunkSize, now, timezone, newId, embedInBackground: true });
}

export function hasEndpoint({ baseUrl, model }: EndpointSettings): boolean {
  return baseUrl !== undefined && model !== undefined;
}

async function openEndpoint({ baseUrl, model, apiKey }: EndpointSettings): Promise<EmbeddingModel> {
  if (baseUrl === undefined || model === undefined) {
    throw new MemoryError(
      'MEMORY_MODEL',
      'no embedding server is set up: config.json needs "embeddingBaseUrl" and "embeddingModel"',
    );
  }
  const { createEndpointModel } = await import('./embeddings/endpoint.ts');
  return createEndpointModel({ baseUrl, model, apiKey });
}
