// The contract of embedding models, and what is the same for all of them: giving vectors to chunks, in batches, each kept
// as soon as it is there. The archive itself knows which chunks lack a vector of the current model, so a kill or a change
// of model needs no bookkeeping: the next run goes on with what is missing. One process at a time does it, under a lock;
// one that still runs with another model than was chosen last leaves the vectors alone, or the two would undo each other.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Archive, IndexProgress, PendingChunk } from '../../storage/archive.ts';
import type { Lock, Locks } from '../../storage/locks.ts';
import { indexedText } from '../rank.ts';
import type { EmbedQuery } from '../search.ts';

const BATCH = 32;
/** Where the time is short, so that it can stop soon. */
const SMALL_BATCH = 8;
const SHORT_MS = 10_000;
const LONGEST_TEXT = 8_000;
const LOCK = 'memory-embed';

export interface EmbeddingModel {
  /** Names the model and where it runs: vectors of different names never meet. */
  readonly name: string;
  /** A vector for each text, in order. `kind`: some models treat questions and texts differently. */
  embed(texts: readonly string[], kind: 'query' | 'passage', signal?: AbortSignal): Promise<Float32Array[]>;
  close(): void;
}

export interface EmbedOptions {
  /** Gives up the vectors there are first: the model is another one under its old name. */
  anew?: boolean;
  signal?: AbortSignal;
  onProgress?: (progress: IndexProgress) => void;
  /** Stops after the batch in which this time has passed; by default it goes on until nothing is missing. */
  milliseconds?: number;
  /** When another process is at it: wait for it, or leave it to that one. */
  whenBusy?: 'wait' | 'leave';
}

export interface Embeddings {
  readonly embedQuery: EmbedQuery;
  /** Undefined when there is no model. */
  embedPending(archive: Archive, options: EmbedOptions): Promise<IndexProgress | undefined>;
  close(): void;
}

export interface EmbeddingsDependencies {
  /** What the owner wants now, asked with each use: it may change while the process runs. Undefined: no model. */
  choose(): Promise<string | undefined>;
  open(choice: string): Promise<EmbeddingModel>;
  locks: Locks;
}

interface Opened {
  choice: string;
  model: Promise<EmbeddingModel>;
  /** Whether the archive knows that this model is wanted. */
  isClaimed: boolean;
}

export function createEmbeddings({ choose, open, locks }: EmbeddingsDependencies): Embeddings {
  let opened: Opened | undefined;

  async function current(): Promise<Opened | undefined> {
    const choice = await choose();
    if (choice === opened?.choice) return opened;
    close();
    if (choice === undefined) return undefined;
    const next: Opened = { choice, model: open(choice), isClaimed: false };
    // The reason may be gone with the next try.
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

  return {
    async embedQuery(query, signal) {
      // A search is worth more without its second half than not at all.
      try {
        const model = await (await current())?.model;
        if (!model) return { unavailable: 'no embedding model is set up' };
        const [vector] = await model.embed([query.slice(0, LONGEST_TEXT)], 'query', signal);
        return vector ? { model: model.name, vector } : { unavailable: `${model.name} gave no vector` };
      } catch (error) {
        if (signal?.aborted) throw error;
        return { unavailable: error instanceof Error ? error.message : String(error) };
      }
    },
    async embedPending(archive, options) {
      const now = await current();
      if (!now) return undefined;
      const model = await now.model;
      options.signal?.throwIfAborted();
      if (!now.isClaimed) await archive.wantModel(model.name);
      now.isClaimed = true;
      if (options.anew) await archive.keepOnlyVectorsOf(undefined, { signal: options.signal });
      const { done, total } = await archive.embedded(model.name);
      if (done < total) {
        const lock = await acquire(locks, options);
        try {
          if (lock) await embedMissing(archive, model, options);
        } finally {
          await lock?.release();
        }
      }
      options.signal?.throwIfAborted();
      const progress = await archive.embedded(model.name);
      // Only when every chunk has its new vector are the old model's dropped.
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
    // Whoever aborts may have closed the archive: nothing is written behind their back.
    signal?.throwIfAborted();
    await archive.putVectors(
      model.name,
      chunks.flatMap(({ id }, index) => (vectors[index] ? [{ id, vector: vectors[index] }] : [])),
    );
    onProgress?.(await archive.embedded(model.name));
    if (performance.now() >= end) return;
  }
}

/** Undefined when another process holds it and the caller leaves it to that one. */
function acquire(locks: Locks, { signal, whenBusy = 'wait' }: EmbedOptions): Promise<Lock | undefined> {
  return whenBusy === 'wait' ? locks.acquire(LOCK, { signal }) : locks.tryAcquire(LOCK);
}

/** A turn is embedded together with the one before it: alone it is seldom understood. */
function passageOf(chunk: PendingChunk): string {
  const text = indexedText(chunk);
  return (chunk.previous === undefined ? text : `${chunk.previous.slice(-LONGEST_TEXT / 4)}\n${text}`).slice(
    0,
    LONGEST_TEXT,
  );
}
