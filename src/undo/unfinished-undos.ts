// Undos, rewinds and change sets that have begun and not ended, in unfinished-undos.json: the next command finishes them. The file holds keys and
// ids, never a path or a word of a conversation, and is there only while files are being changed.
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
  /** To where that turn began. */
  before?: boolean;
  force: boolean;
}

/** Several files changed as one (`change-sets.ts`). */
export interface UnfinishedChangeSet {
  id: string;
  /** The name under which its changes are recorded. */
  tool: string;
  sessionId: string;
  turnId: string;
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
  /** Durable when it resolves, as above. */
  beginChangeSet(changeSet: UnfinishedChangeSet): Promise<void>;
  endChangeSet(id: string): Promise<void>;
  changeSets(): Promise<UnfinishedChangeSet[]>;
}

interface Unfinished {
  undos: UnfinishedUndo[];
  rewinds: UnfinishedRewind[];
  changeSets: UnfinishedChangeSet[];
}

export const UNFINISHED_UNDOS_FILE = 'unfinished-undos.json';

export function createUnfinishedUndos(files: OwnerFiles): UnfinishedUndos {
  const read = async (): Promise<Unfinished> => parse(await files.read(UNFINISHED_UNDOS_FILE));
  const change = (next: (unfinished: Unfinished) => Partial<Unfinished>): Promise<void> =>
    files.update(UNFINISHED_UNDOS_FILE, (current) => {
      const before = parse(current);
      const { undos, rewinds, changeSets } = { ...before, ...next(before) };
      if (undos.length + rewinds.length + changeSets.length === 0) return null;
      const more = { ...(rewinds.length > 0 && { rewinds }), ...(changeSets.length > 0 && { changeSets }) };
      return `${JSON.stringify({ version: 1, undos, ...more })}\n`;
    });
  return {
    begin: (undo) => change(({ undos }) => ({ undos: [...undos, undo] })),
    end: (undoId) => change(({ undos }) => ({ undos: undos.filter((undo) => undo.undoId !== undoId) })),
    list: async () => (await read()).undos,
    beginRewind: (rewind) => change(({ rewinds }) => ({ rewinds: [...rewinds, rewind] })),
    endRewind: (sessionId) =>
      change(({ rewinds }) => ({ rewinds: rewinds.filter((rewind) => rewind.sessionId !== sessionId) })),
    rewinds: async () => (await read()).rewinds,
    beginChangeSet: (changeSet) => change(({ changeSets }) => ({ changeSets: [...changeSets, changeSet] })),
    endChangeSet: (id) => change(({ changeSets }) => ({ changeSets: changeSets.filter((each) => each.id !== id) })),
    changeSets: async () => (await read()).changeSets,
  };
}

/** A file that cannot be parsed finishes nothing. */
function parse(text: string | undefined): Unfinished {
  try {
    const { undos, rewinds, changeSets } = JSON.parse(text ?? '{}') as Partial<Record<keyof Unfinished, unknown>>;
    return {
      undos: Array.isArray(undos) ? undos.filter(isUnfinishedUndo) : [],
      rewinds: Array.isArray(rewinds) ? rewinds.filter(isUnfinishedRewind) : [],
      changeSets: Array.isArray(changeSets) ? changeSets.filter(isUnfinishedChangeSet) : [],
    };
  } catch {
    return { undos: [], rewinds: [], changeSets: [] };
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

function isUnfinishedChangeSet(value: unknown): value is UnfinishedChangeSet {
  const { id, tool, sessionId, turnId } = (value ?? {}) as Partial<Record<keyof UnfinishedChangeSet, unknown>>;
  return [id, tool, sessionId, turnId].every((field) => typeof field === 'string');
}
