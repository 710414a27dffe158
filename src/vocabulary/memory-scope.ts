// Whose memory something is, and who reads it. Everything in core memory and in the archive belongs to one scope. A reader sees
// the scopes that it names and nothing else; the stores check it, so nobody can read without saying who reads.

/** The owner; a person by the bot and their id there; a chat that several people read; a folder that the owner works in. */
export type MemoryScope = 'owner' | `person:${string}` | `chat:${string}` | `project:${string}`;

export interface MemoryReader {
  /** What the reader saves belongs to it. */
  scope: MemoryScope;
  sees: 'everything' | readonly MemoryScope[];
}

export const OWNER: MemoryReader = { scope: 'owner', sees: 'everything' };

/** Sees one scope and saves there. */
export function readerWithin(scope: MemoryScope): MemoryReader {
  return { scope, sees: [scope] };
}

export function maySee({ sees }: MemoryReader, scope: MemoryScope): boolean {
  return sees === 'everything' || sees.includes(scope);
}

/** Other people than the owner write there: what is found there counts as content from outside. */
export function isOfOthers(scope: MemoryScope): boolean {
  return scope.startsWith('person:') || scope.startsWith('chat:');
}

/** Undefined when it names no scope. */
export function parseMemoryScope(text: unknown): MemoryScope | undefined {
  if (typeof text !== 'string') return undefined;
  return text === 'owner' || /^(?:person|chat|project):[^\p{Cc}]+$/u.test(text) ? (text as MemoryScope) : undefined;
}
