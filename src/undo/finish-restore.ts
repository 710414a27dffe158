// Finishes an undo or a change set that was interrupted. Its record names every file with the state before and after; both are compared with
// what is on disk: a file in the state after is done, one in the state before is restored, any other was changed by somebody
// meanwhile and is left alone. Repeating it is safe at any point.
import { sha256Of } from '../lib/sha256.ts';
import type { RecordedChange, RecordedState, UndoRecords } from '../storage/undo-records.ts';
import { WorkspaceError, type WorkspaceErrorCode } from '../vocabulary/workspace-error.ts';
import type { Conflict, CurrentFile, FileAccess, FileAction } from './restore.ts';

export interface FinishRequest {
  /** Of the workspace. */
  root: string;
  /** Of the undo or the change set: the names of its temporary files come from it. */
  id: string;
  changes: readonly RecordedChange[];
  /** Removed afterwards where they are empty; innermost first. */
  directories: readonly string[];
  store: UndoRecords;
  openFiles(root: string): Promise<FileAccess>;
}

export interface FinishedRestore {
  files: { path: string; action: FileAction }[];
  /** Files that somebody changed meanwhile. */
  left: Conflict[];
}

/** Rejects when a file could not be read or written; then it can be repeated. */
export async function finishRestore(request: FinishRequest): Promise<FinishedRestore> {
  const { root, id, directories, store, openFiles } = request;
  const changes = request.changes.filter(({ kind }) => kind === 'file');
  const finished: FinishedRestore = { files: [], left: [] };
  const leave = (path: string, error: unknown): void => {
    if (!isInTheWay(error)) throw error;
    finished.files.push({ path, action: 'left' });
    finished.left.push({ path, reason: error.message });
  };
  let files: FileAccess;
  try {
    files = await openFiles(root);
  } catch (error) {
    for (const { path } of changes) leave(path, error);
    return finished;
  }
  for (const change of changes) {
    try {
      finished.files.push({ path: change.path, action: await finishFile(change, id, store, files) });
    } catch (error) {
      leave(change.path, error);
    }
  }
  for (const path of directories) await files.removeEmptyDirectory(path).catch(() => {});
  return finished;
}

async function finishFile(
  { path, before, after }: RecordedChange,
  undoId: string,
  store: UndoRecords,
  files: FileAccess,
): Promise<FileAction> {
  await files.removeTemporary(path, undoId);
  const current = await files.read(path);
  const state = current && { sha256: await sha256Of(current.bytes), mode: current.mode };
  if (!isRestored(state, before, after)) {
    if (!isSame(state, before)) throw new WorkspaceError('changed', 'it was changed meanwhile');
    await restore(path, current, after, undoId, store, files);
  }
  return !after ? 'deleted' : before ? 'restored' : 'recreated';
}

async function restore(
  path: string,
  current: CurrentFile | undefined,
  after: RecordedState | undefined,
  undoId: string,
  store: UndoRecords,
  files: FileAccess,
): Promise<void> {
  if (after) {
    const target = { bytes: await store.content(after.sha256), mode: after.mode };
    await files.write(path, target, current, undoId);
  } else if (current) await files.remove(path, current);
}

/** Not every system lets the permissions be restored exactly: where the content tells the states apart, it decides. */
function isRestored(
  state: RecordedState | undefined,
  before: RecordedState | undefined,
  after: RecordedState | undefined,
): boolean {
  return before?.sha256 === after?.sha256 ? isSame(state, after) : state?.sha256 === after?.sha256;
}

function isSame(one: RecordedState | undefined, other: RecordedState | undefined): boolean {
  return one?.sha256 === other?.sha256 && one?.mode === other?.mode;
}

/** Codes that say that another try would fail too, since something else has the name by now. */
const IN_THE_WAY: ReadonlySet<WorkspaceErrorCode> = new Set([
  'changed',
  'not_found',
  'not_a_file',
  'not_a_directory',
  'outside',
  'too_many_links',
  'too_large',
  'invalid_path',
]);

function isInTheWay(error: unknown): error is WorkspaceError {
  return error instanceof WorkspaceError && IN_THE_WAY.has(error.code);
}
