// A memory on a home of its own, as the program builds it, for the benchmarks.
import { newId } from '../src/lib/new-id.ts';
import { createEmbeddings, type EmbeddingModel } from '../src/memory/embeddings/embeddings.ts';
import { createMemory, type Memory, type SharedMemory } from '../src/memory/memory.ts';
import { createLocalArchive } from '../src/storage/local/archive/local-archive.ts';
import { createLainclawDb } from '../src/storage/local/lainclaw-db/schema.ts';
import { createLocks } from '../src/storage/local/locks.ts';
import { OWNER } from '../src/vocabulary/memory-scope.ts';

interface Options {
  model?: EmbeddingModel;
  now?: () => number;
}

export function openMemory(home: string, options: Options = {}): { memory: Memory; close(): void } {
  const { shared, close } = openSharedMemory(home, options);
  return { memory: shared.as(OWNER), close };
}

export function openSharedMemory(
  home: string,
  { model, now = Date.now }: Options = {},
): { shared: SharedMemory; close(): void } {
  const database = createLainclawDb(home);
  const locks = createLocks(`${home}/locks`);
  const archive = createLocalArchive({ database, locks });
  const embeddings = createEmbeddings({
    choose: async () => model?.name,
    open: async () => model as EmbeddingModel,
    locks,
  });
  return {
    shared: createMemory({ archive, embeddings, now, timezone: () => 'UTC', newId }),
    close: () => database.close(),
  };
}
