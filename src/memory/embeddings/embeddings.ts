// The contract of embedding models, and what is the same for all of them: giving vectors to chunks in the background, in
// batches, each kept as soon as it is there. The archive itself knows which chunks lack a vector of the current model, so
// a kill or a change of model needs no bookkeeping: the next run goes on with what is missing.
import type { Archive, IndexProgress, PendingChunk } from '../../storage/archive.ts';
import { indexedText } from '../rank.ts';
import type { EmbedQuery } from '../search.ts';

const BATCH = 32;
const LONGEST_TEXT = 8_000;

export interface EmbeddingModel {
  /** Names the model and where it runs: vectors of different names never meet. */
  readonly name: string;
  /** A vector for each text, in order. `kind`: some models treat questions and texts differently. */
  embed(texts: readonly string[], kind: 'query' | 'passage', signal?: AbortSignal): Promise<Float32Array[]>;
  close(): void;
}

export interface Embeddings {
  readonly embedQuery: EmbedQuery;
  embedPending(
    archive: Archive,
    options: { signal?: AbortSignal; onProgress?: (progress: IndexProgress) => void },
  ): Promise<IndexProgress>;
}

export const noEmbeddings: Embeddings = {
  embedQuery: async () => ({ unavailable: 'no embedding model is set up' }),
  embedPending: async () => ({ done: 0, total: 0 }),
};

export function createEmbeddings(open: () => Promise<EmbeddingModel>): Embeddings {
  return {
    async embedQuery(query, signal) {
      // A search is worth more without its second half than not at all.
      try {
        const model = await open();
        const [vector] = await model.embed([query.slice(0, LONGEST_TEXT)], 'query', signal);
        return vector ? { model: model.name, vector } : { unavailable: `${model.name} gave no vector` };
      } catch (error) {
        if (signal?.aborted) throw error;
        return { unavailable: error instanceof Error ? error.message : String(error) };
      }
    },
    async embedPending(archive, { signal, onProgress }) {
      const model = await open();
      for (let after = 0; ; ) {
        signal?.throwIfAborted();
        const chunks = await archive.pending(model.name, { after, limit: BATCH });
        const last = chunks.at(-1);
        if (!last) break;
        const vectors = await model.embed(chunks.map(passageOf), 'passage', signal);
        await archive.putVectors(
          model.name,
          chunks.flatMap(({ id }, index) => (vectors[index] ? [{ id, vector: vectors[index] }] : [])),
        );
        after = last.id;
        onProgress?.(await archive.embedded(model.name));
      }
      // Only when every chunk has its new vector are the old model's dropped.
      await archive.keepOnlyVectorsOf(model.name);
      return archive.embedded(model.name);
    },
  };
}

/** A turn is embedded together with the one before it: alone it is seldom understood. */
function passageOf(chunk: PendingChunk): string {
  const text = indexedText(chunk);
  return (chunk.previous === undefined ? text : `${chunk.previous.slice(-LONGEST_TEXT / 4)}\n${text}`).slice(
    0,
    LONGEST_TEXT,
  );
}
