// The scope that a person names for an operation on memory. Only the owner may call these operations, and the owner sees everything.
import { MemoryError } from '../memory/memory-error.ts';
import {
  type MemoryReader,
  type MemoryScope,
  OWNER,
  parseMemoryScope,
  readerWithin,
} from '../vocabulary/memory-scope.ts';

export const SCOPE = {
  type: 'string',
  description: 'owner, person:<channel>:<id>, chat:<channel>:<id> or project:<folder>',
} as const;

/** Everything, or only the scope that was named. */
export function ownerReading(scope: string | undefined): MemoryReader {
  return scope === undefined ? OWNER : readerWithin(scopeOf(scope));
}

/** Into the scope that was named, by default the owner's. */
export function ownerSaving(scope: string | undefined): MemoryReader {
  return scope === undefined ? OWNER : { ...OWNER, scope: scopeOf(scope) };
}

function scopeOf(text: string): MemoryScope {
  const scope = parseMemoryScope(text);
  if (scope) return scope;
  throw new MemoryError(
    'MEMORY_BAD_SCOPE',
    `"${text}" is not a scope of memory: write owner, person:telegram:123, chat:telegram:-100123 or project:/folder`,
  );
}
