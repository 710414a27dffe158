// Restores files as they were before a turn: reads every file, records the whole undo as a turn of its own, then writes file
// after file, each only if it has not changed since it was read. After a failure the files already written are put back. An
// undo whose process was killed is finished by `finish-restore.ts`.
import { sha256Of } from '../lib/sha256.ts';
import type {
  FileChange,
  FileState,
  RecordedChange,
  RecordedState,
  RecordedTurn,
  UndoRecords,
} from '../storage/undo-records.ts';

/** The files of one workspace, as undo needs them. */
export interface FileAccess {
  /** Undefined when the file does not exist. Rejects when it is not a regular file, or too large to keep. */
  read(path: string): Promise<CurrentFile | undefined>;
  /**
   * Makes missing directories. Rejects, changing nothing, when the file is not the expected one. The name of a temporary file
   * comes from `undoId`.
   */
  write(path: string, state: FileState, expected: CurrentFile | undefined, undoId: string): Promise<void>;
  /** Removes the temporary file that `write` leaves when its process is killed, where there is one. */
  removeTemporary(path: string, undoId: string): Promise<void>;
  remove(path: string, expected: CurrentFile): Promise<void>;
  /** Rejects when the directory is not empty. */
  removeEmptyDirectory(path: string): Promise<void>;
}

export interface CurrentFile extends FileState {
  /** Changes whenever the file does. */
  fingerprint: string;
}

export interface Conflict {
  path: string;
  reason: string;
}

/** left: somebody changed the file while an interrupted undo waited to be finished. */
export type FileAction = 'restored' | 'recreated' | 'deleted' | 'unchanged' | 'left';

export interface PlannedFile {
  path: string;
  action: FileAction;
  current: CurrentFile | undefined;
  target: FileState | undefined;
}

export interface Plan {
  files: PlannedFile[];
  conflicts: Conflict[];
  /** Directories the turn made, innermost first. */
  directories: string[];
}

export interface PlanRequest {
  turn: RecordedTurn;
  store: UndoRecords;
  files: FileAccess;
  /** Also overwrite files that were changed since. Anything that is not a file is still a conflict. */
  force: boolean;
}

export async function planRestore({ turn, store, files, force }: PlanRequest): Promise<Plan> {
  const changes = await store.changes(turn);
  const plan: Plan = { files: [], conflicts: [], directories: directoriesOf(changes) };
  for (const [path, history] of historiesOf(changes)) {
    const before = history[0]?.before;
    let current: CurrentFile | undefined;
    try {
      current = await files.read(path);
    } catch (error) {
      plan.conflicts.push({ path, reason: (error as Error).message });
      continue;
    }
    const sha256 = current && (await sha256Of(current.bytes));
    const wasLeftSo = history.some(({ after }) => after?.sha256 === sha256);
    if (sha256 !== before?.sha256 && !wasLeftSo && !force) {
      plan.conflicts.push({ path, reason: await whatHappened({ turn, store, path, sha256 }) });
      continue;
    }
    const target = before && {
      bytes: await store.content(before.sha256),
      mode: targetMode(before, history.at(-1)?.after, current),
    };
    plan.files.push({ path, current, target, action: actionOf(current, target) });
  }
  return plan;
}

/** `isPutBack`: every file is as it was before. */
export type Applied = { ok: true } | { ok: false; cause: unknown; isPutBack: boolean };

export async function applyPlan({ files, directories }: Plan, access: FileAccess, undoId: string): Promise<Applied> {
  const done: PlannedFile[] = [];
  try {
    for (const file of files) {
      const { path, action, current, target } = file;
      if (action === 'unchanged') continue;
      if (target) await access.write(path, target, current, undoId);
      else if (current) await access.remove(path, current);
      done.push(file);
    }
  } catch (cause) {
    let isPutBack = true;
    for (const file of done.reverse()) if (!(await putBack(file, access, undoId))) isPutBack = false;
    return { ok: false, cause, isPutBack };
  }
  // Directories that are not empty by now stay.
  for (const path of directories) await access.removeEmptyDirectory(path).catch(() => {});
  return { ok: true };
}

/**
 * The undo as changes that can be undone in turn. Directories made for a restored file are not recorded: undoing the undo
 * removes the file and leaves them.
 */
export function asChanges({ files }: Plan): FileChange[] {
  return files
    .filter(({ action }) => action !== 'unchanged')
    .map(({ path, current, target }) => ({ tool: 'undo', path, before: current, after: target, madeDirectories: [] }));
}

/** Every change of a path, in order. */
export function historiesOf(changes: readonly RecordedChange[]): Map<string, RecordedChange[]> {
  const files = changes.filter(({ kind }) => kind === 'file');
  return Map.groupBy(files, ({ path }) => path);
}

/** Directories that were made, innermost first. */
export function directoriesOf(changes: readonly RecordedChange[]): string[] {
  return changes.flatMap(({ kind, path }) => (kind === 'made-directory' ? [path] : [])).toReversed();
}

/** Permissions that the turn did not change stay as they are now. */
function targetMode(before: RecordedState, after: RecordedState | undefined, current: CurrentFile | undefined): number {
  return current && after?.mode === before.mode ? current.mode : before.mode;
}

function actionOf(current: CurrentFile | undefined, target: FileState | undefined): FileAction {
  if (!current) return target ? 'recreated' : 'unchanged';
  if (!target) return 'deleted';
  const isSame = Buffer.compare(current.bytes, target.bytes) === 0 && current.mode === target.mode;
  return isSame ? 'unchanged' : 'restored';
}

interface Happened {
  turn: RecordedTurn;
  store: UndoRecords;
  path: string;
  sha256: string | undefined;
}

async function whatHappened({ turn, store, path, sha256 }: Happened): Promise<string> {
  if (sha256 === undefined) return 'it was deleted since';
  const other = await store.whoLeft(turn.root, path, sha256);
  return other && other !== turn.turnId ? `it was changed again by ${other}: undo that first` : 'it was changed since';
}

/** False when the file could not be put back. One that somebody has changed by now is left alone. */
async function putBack({ path, current, target }: PlannedFile, access: FileAccess, undoId: string): Promise<boolean> {
  try {
    const now = await access.read(path);
    const isOurs = now && target ? Buffer.compare(now.bytes, target.bytes) === 0 : now === target;
    if (!isOurs) return true;
    if (current) await access.write(path, current, now, undoId);
    else if (now) await access.remove(path, now);
    return true;
  } catch {
    // The first failure is the one that is reported.
    return false;
  }
}
