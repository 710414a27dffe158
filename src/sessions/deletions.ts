// Deletions that have begun and not ended, in deletions.json: the next command finishes them. The file holds keys and ids, never a
// word of a conversation, and is there only while something is being deleted.
import type { OwnerFiles } from '../storage/storage.ts';

export interface Deletion {
  sessionKey: string;
  sessionIds: readonly string[];
}

export interface Deletions {
  /** Durable when it resolves: from now on the deletion will be finished, whatever happens. */
  begin(deletion: Deletion): Promise<void>;
  end(sessionIds: readonly string[]): Promise<void>;
  /** Those that were cut short. */
  open(): Promise<Deletion[]>;
}

export const DELETIONS_FILE = 'deletions.json';

export function createDeletions(files: OwnerFiles): Deletions {
  return {
    begin: (deletion) =>
      files.update(DELETIONS_FILE, (current) => written([...others(parse(current), deletion.sessionIds), deletion])),
    end: (sessionIds) => files.update(DELETIONS_FILE, (current) => written(others(parse(current), sessionIds))),
    open: async () => parse(await files.read(DELETIONS_FILE)),
  };
}

function others(deletions: readonly Deletion[], ended: readonly string[]): Deletion[] {
  return deletions.flatMap(({ sessionKey, sessionIds }) => {
    const left = sessionIds.filter((id) => !ended.includes(id));
    return left.length === 0 ? [] : [{ sessionKey, sessionIds: left }];
  });
}

function written(deletions: readonly Deletion[]): string | null {
  return deletions.length === 0 ? null : `${JSON.stringify({ version: 1, deletions })}\n`;
}

/** A file that cannot be read deletes nothing. */
function parse(source: string | undefined): Deletion[] {
  try {
    const { deletions } = JSON.parse(source ?? '{}') as { deletions?: unknown };
    return Array.isArray(deletions) ? deletions.filter(isDeletion) : [];
  } catch {
    return [];
  }
}

function isDeletion(value: unknown): value is Deletion {
  const { sessionKey, sessionIds } = (value ?? {}) as Partial<Record<keyof Deletion, unknown>>;
  return (
    typeof sessionKey === 'string' && Array.isArray(sessionIds) && sessionIds.every((id) => typeof id === 'string')
  );
}
