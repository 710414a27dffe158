// A memory on a temporary home, for tests.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { newId } from '../../src/lib/new-id.ts';
import { createEmbeddings, type EmbeddingModel } from '../../src/memory/embeddings/embeddings.ts';
import { createMemory, type Memory, type SharedMemory } from '../../src/memory/memory.ts';
import type { Archive } from '../../src/storage/archive.ts';
import { createLocalArchive } from '../../src/storage/local/archive/local-archive.ts';
import { createLainclawDb } from '../../src/storage/local/lainclaw-db/schema.ts';
import { createLocks } from '../../src/storage/local/locks.ts';
import type { Locks } from '../../src/storage/locks.ts';
import type { SharedArchive } from '../../src/storage/shared-archive.ts';
import { OWNER } from '../../src/vocabulary/memory-scope.ts';

export interface TestMemory {
  home: string;
  archive: Archive;
  locks: Locks;
  memory: Memory;
  /** Of everybody; `archive` and `memory` are the owner's. */
  shared: { archive: SharedArchive; memory: SharedMemory };
  /** Another process's view of the same home. */
  again(model?: EmbeddingModel): TestMemory;
}

export function temporaryHome(): string {
  const home = mkdtempSync(join(tmpdir(), 'lainclaw-memory-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

export function testMemory(
  model?: EmbeddingModel,
  home: string = temporaryHome(),
  { timezone = 'UTC' } = {},
): TestMemory {
  const database = createLainclawDb(home);
  onTestFinished(() => database.close());
  const locks = createLocks(join(home, 'locks'));
  const archive = createLocalArchive({ database, locks });
  const embeddings = createEmbeddings({
    choose: async () => model?.name,
    open: async () => model as EmbeddingModel,
    locks,
  });
  const memory = createMemory({
    archive,
    embeddings,
    now: () => Date.parse('2026-12-01T10:00:00Z'),
    timezone: () => timezone,
    newId,
  });
  const shared = { archive, memory };
  return {
    home,
    archive: archive.as(OWNER),
    locks,
    memory: memory.as(OWNER),
    shared,
    again: (other = model) => testMemory(other, home, { timezone }),
  };
}
