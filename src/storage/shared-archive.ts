import type { MemoryReader } from '../vocabulary/memory-scope.ts';
import type { Archive } from './archive.ts';
import type { FactStore } from './facts.ts';

/** The archive of everybody. It is read and changed in the name of somebody only. */
export interface SharedArchive {
  as(reader: MemoryReader): Archive;
  facts: FactStore;
}
