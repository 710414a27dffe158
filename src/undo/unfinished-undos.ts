// Undos and rewinds that have begun and not ended, in unfinished-undos.json: the next command finishes them. The file holds keys and
// ids, never a path or a word of a conversation, and is there only while something is being undone.
import type { OwnerFiles } from '../storage/storage.ts';

export interface UnfinishedUndo {
  /** The turn under which the undo is recorded. Without such a record the undo has not touched any file. */
  undoId: string;
  /** Its lock is held while the files are restored. */
  sessionKey: string;
  sessionId: string;
}

/** Going back to a turn of a session, with the files of the turns after it. */
export interface UnfinishedRewind {
  sessionKey: string;
  sessionId: string;
  turnId: string;
  force: boolean;
}

export interface UnfinishedUndos {
  /** Durable when it resolves: from now on the undo will be finished, whatever happens. */
  begin(undo: UnfinishedUndo): Promise<void>;
  end(undoId: string): Promise<void>;
  list(): Promise<UnfinishedUndo[]>;
  /** Durable when it resolves, as above. */
  beginRewind(rewind: UnfinishedRewind): Promise<void>;
  endRewind(sessionId: string): Promise<void>;
  rewinds(): Promise<UnfinishedRewind[]>;
}

interface Unfinished {
  undos: UnfinishedUndo[];
  rewinds: UnfinishedRewind[];
}

export const UNFINISHED_UNDOS_FILE = 'unfinished-undos.json';

export function createUnfinishedUndos(files: OwnerFiles): UnfinishedUndos {
  const read = async (): Promise<Unfinished> => parse(await files.read(UNFINISHED_UNDOS_FILE));
  const change = (next: (unfinished: Unfinished) => Partial<Unfinished>): Promise<void> =>
    files.update(UNFINISHED_UNDOS_FILE, (current) => {
      const before = parse(current);
      const { undos, rewinds } = { ...before, ...next(before) };
      if (undos.length === 0 && rewinds.length === 0) return null;
      return `${JSON.stringify({ version: 1, undos, ...(rewinds.length > 0 && { rewinds }) })}\n`;
    });
  return {
    begin: (undo) => change(({ undos }) => ({ undos: [...undos, undo] })),
    end: (undoId) => change(({ undos }) => ({ undos: undos.filter((undo) => undo.undoId !== undoId) })),
    list: async () => (await read()).undos,
    beginRewind: (rewind) => change(({ rewinds }) => ({ rewinds: [...rewinds, rewind] })),
    endRewind: (sessionId) =>
      change(({ rewinds }) => ({ rewinds: rewinds.filter((rewind) => rewind.sessionId !== sessionId) })),
    rewinds: async () => (await read()).rewinds,
  };
}

/** A file that cannot be parsed finishes nothing. */
function parse(text: string | undefined): Unfinished {
  try {
    const { undos, rewinds } = JSON.parse(text ?? '{}') as { undos?: unknown; rewinds?: unknown };
    return {
      undos: Array.isArray(undos) ? undos.filter(isUnfinishedUndo) : [],
      rewinds: Array.isArray(rewinds) ? rewinds.filter(isUnfinishedRewind) : [],
    };
  } catch {
    return { undos: [], rewinds: [] };
  }
}

function isUnfinishedUndo(value: unknown): value is UnfinishedUndo {
  const { undoId, sessionKey, sessionId } = (value ?? {}) as Partial<Record<keyof UnfinishedUndo, unknown>>;
  return [undoId, sessionKey, sessionId].every((field) => typeof field === 'string');
}

function isUnfinishedRewind(value: unknown): value is UnfinishedRewind {
  const { sessionKey, sessionId, turnId } = (value ?? {}) as Partial<Record<keyof UnfinishedRewind, unknown>>;
  return [sessionKey, sessionId, turnId].every((field) => typeof field === 'string');
}
