// Keeps the index of the archive at the version of the analyser. After an upgrade it is rebuilt beside the old one, in short transactions that a kill does
// not undo. Removing needs the new index, because the old one's terms can no longer be made. Saving and searching do not: the old index finds nearly
// everything meanwhile, so what must not wait uses it while the rebuild continues in the background, a little with each use.
import type { Archive, IndexProgress, TermsOf } from '../storage/archive.ts';

/** What a use may take once in a process: a small archive is done in it. */
const MOMENT_MS = 200;
/** So that what a person waits for meanwhile comes first. */
const BACKGROUND_AFTER_MS = 1_000;
const BACKGROUND_BATCH = 50;
const REST_AFTER_FAILURE_MS = 60_000;

export interface CurrentIndex {
  /** Resolves when the index is current. Another process that rebuilds it is waited for. */
  ensure(options?: EnsureOptions): Promise<void>;
  /**
   * Hardly waits: an index of another version is rebuilt in the background, unless that is done in a moment. Resolves to what a
   * person should know of the results.
   */
  check(): Promise<string | undefined>;
  close(): void;
}

export interface EnsureOptions {
  signal?: AbortSignal;
  onProgress?: (progress: IndexProgress) => void;
}

export interface CurrentIndexDependencies {
  archive: Pick<Archive, 'indexVersion' | 'rebuild'>;
  termsOf: TermsOf;
  version: string;
}

export function createCurrentIndex({ archive, termsOf, version }: CurrentIndexDependencies): CurrentIndex {
  const closing = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  let progress: IndexProgress | undefined;
  let restUntil = 0;
  let isLarge = false;

  /** An index without a version is new, or older than the record of versions. */
  const isCurrent = async (): Promise<boolean> => (await archive.indexVersion()) === version;

  const note = (now: IndexProgress): void => {
    progress = now;
  };

  async function rebuild(options: EnsureOptions & { batch?: number }): Promise<void> {
    await archive.rebuild(termsOf, { version, unlessCurrent: true, ...options });
  }

  async function isDoneInAMoment(): Promise<boolean> {
    const moment = AbortSignal.timeout(MOMENT_MS);
    try {
      await rebuild({ signal: AbortSignal.any([closing.signal, moment]), onProgress: note });
      return true;
    } catch (error) {
      if (moment.aborted) return false;
      throw error;
    }
  }

  async function rebuildInBackground(): Promise<void> {
    try {
      await rebuild({ signal: closing.signal, batch: BACKGROUND_BATCH, onProgress: note });
    } catch {
      // A search that needs the new index reports why; here nobody reads it.
      restUntil = performance.now() + REST_AFTER_FAILURE_MS;
    }
    timer = undefined;
  }

  return {
    async ensure({ signal, onProgress } = {}) {
      if (await isCurrent()) return;
      const signals = [closing.signal, ...(signal ? [signal] : [])];
      await rebuild({ signal: AbortSignal.any(signals), onProgress });
    },
    async check() {
      if (await isCurrent()) return undefined;
      if (!isLarge && (await isDoneInAMoment())) return undefined;
      isLarge = true;
      if (!timer && !closing.signal.aborted && performance.now() >= restUntil)
        timer = setTimeout(() => void rebuildInBackground(), BACKGROUND_AFTER_MS).unref();
      const far = progress ? ` (${progress.done} of ${progress.total})` : '';
      return `the index is being rebuilt after an upgrade${far}: until then something may be missing`;
    },
    close() {
      clearTimeout(timer);
      closing.abort();
    },
  };
}
