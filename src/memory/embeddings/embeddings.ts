// The contract of embedding models, and the part that all of them share: embedding chunks in batches, each saved at once. The
// archive knows which chunks have no vector of the current model, so a kill or a change of model needs no bookkeeping: the
// next run continues with the missing ones. One process at a time embeds, under a lock; a process whose model is not the one
// chosen last changes nothing, or the two would undo each other's work.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Archive, IndexProgress, PendingChunk } from '../../storage/archive.ts';
import type { Lock, Locks } from '../../storage/locks.ts';
import { indexedText } from '../rank.ts';
import type { EmbedQuery } from '../search.ts';

const BATCH = 32;
/** Used when time is short, so that embedding can stop soon. */
const SMALL_BATCH = 8;
const SHORT_MS = 10_000;
const LONGEST_TEXT = 8_000;
const LOCK = 'memory-embed';
/** What a turn waits for a vector at most. */
const LONGEST_WAIT_MS = 100;

export interface EmbeddingModel {
  /** Names the model and where it runs: vectors of different names are never compared. */
  readonly name: string;
  /** A vector for each text, in order. `kind`: some models treat questions and texts differently. */
  embed(texts: readonly string[], kind: 'query' | 'passage', signal?: AbortSignal): Promise<Float32Array[]>;
  close(): void;
}

export interface EmbedOptions {
  /** Drops the existing vectors first: another model now has the old name. */
  all?: boolean;
  signal?: AbortSignal;
  onProgress?: (progress: IndexProgress) => void;
  /** Stops after the batch in which this time has passed; by default continues until nothing is missing. */
  milliseconds?: number;
  /** When another process embeds: wait for it, or leave the work to it. */
  whenBusy?: 'wait' | 'leave';
}

export interface Embeddings {
  readonly embedQuery: EmbedQuery;
  /** Where the model is in use already and answers within a moment; for what must not wait. */
  readonly embedQueryIfLoaded: EmbedQuery;
  /** Vectors for texts that are not in the archive; undefined when there is no model. */
  embedTexts(texts: readonly string[], kind: 'query' | 'passage'): Promise<Float32Array[] | undefined>;
  /** Undefined when there is no model. */
  embedPending(archive: Archive, options: EmbedOptions): Promise<IndexProgress | undefined>;
  close(): void;
}

export interface EmbeddingsDependencies {
  /** The owner's choice, read at each use because it may change while the process runs. Undefined: no model. */
  choose(): Promise<string | undefined>;
  open(choice: string): Promise<EmbeddingModel>;
  locks: Locks;
}

interface Opened {
  choice: string;
  model: Promise<EmbeddingModel>;
  /** True once the archive has recorded this model as the wanted one. */
  isClaimed: boolean;
  /** True once it has embedded something. */
  isLoaded: boolean;
}

export function createEmbeddings({ choose, open, locks }: EmbeddingsDependencies): Embeddings {
  let opened: Opened | undefined;

  async function current(): Promise<Opened | undefined> {
    const choice = await choose();
    if (choice === opened?.choice) return opened;
    close();
    if (choice === undefined) return undefined;
    const next: Opened = { choice, model: open(choice), isClaimed: false, isLoaded: false };
    // The next attempt may succeed.
    next.model.catch(() => {
      if (opened === next) opened = undefined;
    });
    opened = next;
    return next;
  }

  function close(): void {
    opened?.model.then(
      (model) => model.close(),
      () => {},
    );
    opened = undefined;
  }

  const embedQuery: EmbedQuery = async (query, signal) => {
    // A search without vectors is better than none.
    try {
      const now = await current();
      const model = await now?.model;
      if (!now || !model) return { unavailable: 'no embedding model is set up' };
      const [vector] = await model.embed([query.slice(0, LONGEST_TEXT)], 'query', signal);
      now.isLoaded = true;
      return vector ? { model: model.name, vector } : { unavailable: `${model.name} gave no vector` };
    } catch (error) {
      if (signal?.aborted) throw error;
      return { unavailable: error instanceof Error ? error.message : String(error) };
    }
  };

  return {
    embedQuery,
    async embedQueryIfLoaded(query, signal) {
      if (!opened?.isLoaded) return { unavailable: 'the embedding model is not loaded yet' };
      const late = new Promise<{ unavailable: string }>((resolve) =>
        setTimeout(() => resolve({ unavailable: 'the embedding model is busy' }), LONGEST_WAIT_MS).unref(),
      );
      return Promise.race([embedQuery(query, signal), late]);
    },
    async embedTexts(texts, kind) {
      const model = await (await current())?.model;
      return model?.embed(
        texts.map((text) => text.slice(0, LONGEST_TEXT)),
        kind,
      );
    },
    async embedPending(archive, options) {
      const now = await current();
      if (!now) return undefined;
      const model = await now.model;
      options.signal?.throwIfAborted();
      if (!now.isClaimed) await archive.wantModel(model.name);
      now.isClaimed = true;
      if (options.all) await archive.keepOnlyVectorsOf(undefined, { signal: options.signal });
      const { done, total } = await archive.embedded(model.name);
      if (done < total) {
        const lock = await acquire(locks, options);
        try {
          if (lock) await embedMissing(archive, model, options);
          now.isLoaded ||= lock !== undefined;
        } finally {
          await lock?.release();
        }
      }
      options.signal?.throwIfAborted();
      const progress = await archive.embedded(model.name);
      // Drop the vectors of the old model only when every chunk has a new one.
      if (progress.done >= progress.total && (await archive.wantedModel()) === model.name)
        await archive.keepOnlyVectorsOf(model.name, { signal: options.signal });
      return progress;
    },
    close,
  };
}

async function embedMissing(archive: Archive, model: EmbeddingModel, options: EmbedOptions): Promise<void> {
  const { signal, onProgress, milliseconds = Number.POSITIVE_INFINITY } = options;
  const end = performance.now() + milliseconds;
  const limit = milliseconds < SHORT_MS ? SMALL_BATCH : BATCH;
  for (let after: number | undefined = 0; after !== undefined; ) {
    if ((await archive.wantedModel()) !== model.name) return;
    signal?.throwIfAborted();
    const { chunks, upTo } = await archive.pending(model.name, { after, limit });
    after = upTo;
    if (chunks.length === 0) {
      await nextTurn();
      continue;
    }
    const vectors = await model.embed(chunks.map(passageOf), 'passage', signal);
    // After an abort the archive may be closed: write nothing.
    signal?.throwIfAborted();
    await archive.putVectors(
      model.name,
      chunks.flatMap(({ id }, index) => (vectors[index] ? [{ id, vector: vectors[index] }] : [])),
    );
    onProgress?.(await archive.embedded(model.name));
    if (performance.now() >= end) return;
  }
}

/** Undefined when another process holds the lock and the caller leaves the work to it. */
function acquire(locks: Locks, { signal, whenBusy = 'wait' }: EmbedOptions): Promise<Lock | undefined> {
  return whenBusy === 'wait' ? locks.acquire(LOCK, { signal }) : locks.tryAcquire(LOCK);
}

/**
 * A turn is embedded alone: those beside it count when the search ranks, and a vector of several turns is near the questions of all of them. The name of
 * its speaker is left out, as it is of the question (speakers.ts).
 */
function passageOf(chunk: PendingChunk): string {
  return indexedText(chunk).slice(0, LONGEST_TEXT);
}
