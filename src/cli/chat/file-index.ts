// The files that `@` offers. They are listed in the background when the chat begins, and again when somebody asks for files and the list is
// old; until then the list before serves. A small workspace is waited for, so that a file that was made just now is offered.
import { setTimeout as sleep } from 'node:timers/promises';
import { createFileSearch, type FileSearch } from './file-search.ts';

/** A list is good for so long: people complete several names in a row. */
const FRESH_MS = 3_000;
/** Of the first list, which may be long; what fits of it by then is offered. */
const PATIENCE_MS = 1_000;
/** Listed within this, a workspace is small. */
const SMALL_MS = 100;

export interface FileIndexDependencies {
  /** Paths from the root, as they are found. */
  listFiles(signal: AbortSignal): AsyncIterable<string>;
  /** Fires when the chat is left. */
  signal: AbortSignal;
  now(): number;
}

export interface FileIndex {
  /** The best for these letters. */
  find(query: string, most: number): Promise<string[]>;
  /** Begins to list the files, when the list is old. */
  refresh(): void;
}

export function createFileIndex({ listFiles, signal, now }: FileIndexDependencies): FileIndex {
  let search: FileSearch | undefined;
  let isWhole = false;
  let listing: Promise<void> | undefined;
  let listedAt = Number.NEGATIVE_INFINITY;
  let tookMs = 0;

  async function list(): Promise<void> {
    const begun = now();
    const next = createFileSearch();
    // The first list is offered while it grows.
    search ??= next;
    try {
      for await (const path of listFiles(signal)) next.add(path);
    } catch {
      // What was found is offered.
    }
    search = next;
    isWhole = true;
    listedAt = now();
    tookMs = listedAt - begun;
  }

  function refresh(): void {
    if (listing || now() - listedAt <= FRESH_MS) return;
    listing = list().finally(() => {
      listing = undefined;
    });
  }

  return {
    refresh,
    async find(query, most) {
      refresh();
      const patience = isWhole ? (tookMs <= SMALL_MS ? SMALL_MS : 0) : PATIENCE_MS;
      if (listing && patience > 0) await Promise.race([listing, sleep(patience, undefined, { ref: false })]);
      const found = search?.find(query, most) ?? [];
      if (found.length > 0 || isWhole) return found;
      // Nothing is offered again by itself: what is not found yet is waited for.
      await listing;
      return search?.find(query, most) ?? [];
    },
  };
}
