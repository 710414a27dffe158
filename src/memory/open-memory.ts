// Puts a memory together from settings: which embedding model, if any, and how large a chunk.
import type { Archive } from '../storage/archive.ts';
import type { Locks } from '../storage/storage.ts';
import { createEmbeddings, type EmbeddingModel, type Embeddings, noEmbeddings } from './embeddings/embeddings.ts';
import { createMemory, type Memory } from './memory.ts';
import { MemoryError } from './memory-error.ts';
import type { ModelManifest } from './models/manifest.ts';

/** A server that speaks the OpenAI protocol, Ollama for example. */
export interface EndpointSettings {
  baseUrl?: string;
  model?: string;
  apiKey?: string;
}

export interface OpenMemoryOptions {
  archive: Archive;
  locks: Locks;
  endpoint: EndpointSettings;
  /** What the owner chose: a model's name, "endpoint", "none"; undefined while nobody chose. */
  choice(): Promise<string | undefined>;
  localModel(name: string): Promise<{ folder: string; manifest: ModelManifest }>;
  chunkSize?: number;
  now(): number;
  newId(prefix: string): string;
}

export async function openMemory(options: OpenMemoryOptions): Promise<Memory> {
  const { archive, chunkSize, now, newId } = options;
  const embeddings = await embeddingsFor(options);
  return createMemory({ archive, embeddings, chunkSize, now, newId, embedInBackground: true });
}

/** A choice that cannot be followed is told by each search; saving and finding by words go on. */
async function embeddingsFor({ locks, endpoint, choice, localModel }: OpenMemoryOptions): Promise<Embeddings> {
  const create = (open: () => Promise<EmbeddingModel>): Embeddings => createEmbeddings({ open, locks });
  let chosen: string | undefined;
  try {
    chosen = await choice();
  } catch (error) {
    return create(() => Promise.reject(error));
  }
  if (chosen === 'none' || (chosen === undefined && !hasEndpoint(endpoint))) return noEmbeddings;
  if (chosen === undefined || chosen === 'endpoint') return create(() => openEndpoint(endpoint));
  const name = chosen;
  return create(async () => {
    const [{ createOnnxModel }, found] = await Promise.all([import('./embeddings/onnx-model.ts'), localModel(name)]);
    return createOnnxModel(found);
  });
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
