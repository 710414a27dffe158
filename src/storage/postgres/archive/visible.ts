// What a reader may see of the archive: the one place where PostgreSQL decides it.
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';

/** The parameter of a statement that `isVisible` reads: the scopes, or null for a reader who sees everything. */
export function scopesOf({ sees }: MemoryReader): readonly string[] | null {
  return sees === 'everything' ? null : sees;
}

/** A condition on rows with a scope; `parameter` is the number of the one from `scopesOf`. */
export function isVisible(alias: string, parameter: number): string {
  return `($${parameter}::text[] IS NULL OR ${alias}.scope = ANY ($${parameter}))`;
}
