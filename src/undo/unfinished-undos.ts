// Undos that have begun and not ended, in unfinished-undos.json: the next command finishes them. The file holds keys and ids,
// never a path or a word of a conversation, and is there only while something is being undone.
import type { OwnerFiles } from '../storage/storage.ts';

export interface UnfinishedUndo {
  /** The turn under which the undo is recorded. Without such a record the undo has not touched any file. */
  undoId: string;
  /** Its lock is held while the files are restored. */
  sessionKey: string;
  sessionId: string;
}

export interface UnfinishedUndos {
  /** Durable when it resolves: from now on the undo will be finished, whatever happens. */
  begin(undo: UnfinishedUndo): Promise<void>;
  end(undoId: string): Promise<void>;
  list(): Promise<UnfinishedUndo[]>;
}

export const UNFINISHED_UNDOS_FILE = 'unfinished-undos.json';

export function createUnfinishedUndos(files: OwnerFiles): UnfinishedUndos {
  const change = (next: (undos: UnfinishedUndo[]) => UnfinishedUndo[]): Promise<void> =>
    files.update(UNFINISHED_UNDOS_FILE, (current) => {
      const undos = next(parse(current));
      return undos.length === 0 ? null : `${JSON.stringify({ version: 1, undos })}\n`;
    });
  return {
    begin: (undo) => change((undos) => [...undos, undo]),
    end: (undoId) => change((undos) => undos.filter((undo) => undo.undoId !== undoId)),
    list: async () => parse(await files.read(UNFINISHED_UNDOS_FILE)),
  };
}

/** A file that cannot be parsed finishes nothing. */
function parse(text: string | undefined): UnfinishedUndo[] {
  try {
    const { undos } = JSON.parse(text ?? '{}') as { undos?: unknown };
    return Array.isArray(undos) ? undos.filter(isUnfinishedUndo) : [];
  } catch {
    return [];
  }
}

function isUnfinishedUndo(value: unknown): value is UnfinishedUndo {
  const { undoId, sessionKey, sessionId } = (value ?? {}) as Partial<Record<keyof UnfinishedUndo, unknown>>;
  return [undoId, sessionKey, sessionId].every((field) => typeof field === 'string');
}
