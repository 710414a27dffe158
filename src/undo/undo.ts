// Undo: every change the agent makes to a file is recorded before it happens, by session and turn; a turn can be shown as a
// diff and undone. An undo is recorded as a turn of its own, so that it can be undone too.
import type { Fence, Locks } from '../storage/locks.ts';
import type { FileChange, RecordedChange, RecordedTurn, TurnScope, UndoRecords } from '../storage/undo-records.ts';
import {
  applyPlan,
  asChanges,
  type Conflict,
  type FileAccess,
  type FileAction,
  historiesOf,
  planRestore,
} from './restore.ts';
import { UndoError } from './undo-error.ts';
import { unifiedDiff } from './unified-diff.ts';

export interface UndoDependencies {
  records: UndoRecords;
  locks: Locks;
  /** The files of the workspace with this root. */
  openFiles(root: string): Promise<FileAccess>;
  newId(prefix: string): string;
}

export interface UndoRequest {
  /** The session whose turns wait while files are restored. */
  sessionKey: string;
  sessionId: string;
  /** An id, or the start of one; by default the newest turn that changed files and was not undone. */
  turnId?: string;
  /** Also overwrite files that were changed since. */
  force: boolean;
  signal?: AbortSignal;
  onWait?: () => void;
}

export interface Undone {
  turnId: string;
  recordedAt: string;
  root: string;
  /** The turn that undoes this undo. */
  undoId: string;
  files: { path: string; action: FileAction }[];
  /** Reasons why changes that commands of the turn made, or may have made, were not restored. */
  notCovered: string[];
}

export interface ChangedFile {
  path: string;
  root: string;
  status: 'created' | 'modified' | 'deleted';
  /** A unified diff, bounded. */
  diff: string;
  added: number;
  removed: number;
  truncated: boolean;
}

export interface ListedTurn {
  turnId: string;
  recordedAt: string;
  root: string;
  undoes?: string;
  undone: boolean;
  paths: string[];
  notCovered: string[];
}

export interface RecordOptions {
  /** Why further changes, certain or possible, cannot be restored. */
  notCovered?: string;
  /** Of the lock of the turn that makes the change. */
  fence?: Fence;
}

export interface Undo {
  /** With a fence, rejects when its lock is no longer held: the file must not be changed then. */
  record(scope: TurnScope, changes: readonly FileChange[], more?: RecordOptions): Promise<void>;
  /** Turns that changed files, newest first. */
  turns(sessionId: string): Promise<ListedTurn[]>;
  /** Restores all files of the turn or, as far as the system allows, none. Rejects with UndoError. */
  undo(request: UndoRequest): Promise<Undone>;
  /** The files that a turn, or the whole session, changed; sorted by path. Rejects with UndoError. */
  diff(request: { sessionId: string; turnId?: string }): Promise<ChangedFile[]>;
}

const DIFF_CHARS = 200_000;

export function createUndo({ records: store, locks, openFiles, newId }: UndoDependencies): Undo {
  return {
    record: (scope, changes, more) => store.add(scope, changes, more),

    async turns(sessionId) {
      const turns = await store.turns(sessionId);
      const listed = turns.toReversed().map(async (turn): Promise<ListedTurn> => {
        const { turnId, root, undoes } = turn;
        const changes = await store.changes(turn);
        const paths = [...historiesOf(changes).keys()];
        const undone = undoOf(turn, turns) !== undefined;
        return { turnId, recordedAt: timeOf(turn), root, undoes, undone, paths, notCovered: notCoveredOf(changes) };
      });
      return Promise.all(listed);
    },

    async undo({ sessionKey, sessionId, turnId, force, signal, onWait }) {
      const lock = await locks.acquire(`session:${sessionKey}`, { signal, onWait });
      try {
        const turn = chooseTurn(await store.turns(sessionId), turnId);
        const files = await openFiles(turn.root);
        const plan = await planRestore({ turn, store, files, force });
        if (plan.conflicts.length > 0) throw conflictError(turn, plan.conflicts, force);
        signal?.throwIfAborted();
        const scope = { sessionId, turnId: newId('undo'), root: turn.root };
        await store.add(scope, asChanges(plan), { undoes: turn.turnId, fence: lock });
        try {
          await applyPlan(plan, files);
        } catch (cause) {
          await store.forget(scope);
          const why = cause instanceof Error ? cause.message : String(cause);
          throw new UndoError('UNDO_FAILED', `${turn.turnId} was not undone: ${why}`, { cause });
        }
        return {
          turnId: turn.turnId,
          recordedAt: timeOf(turn),
          root: turn.root,
          undoId: scope.turnId,
          files: plan.files.map(({ path, action }) => ({ path, action })),
          notCovered: notCoveredOf(await store.changes(turn)),
        };
      } finally {
        await lock.release();
      }
    },

    async diff({ sessionId, turnId }) {
      const turns = await store.turns(sessionId);
      const chosen = turnId === undefined ? turns : [findTurn(turns, turnId)];
      const byRoot = Map.groupBy(chosen, ({ root }) => root);
      const files: ChangedFile[] = [];
      for (const [root, ofRoot] of byRoot) {
        const changes = (await Promise.all(ofRoot.map((turn) => store.changes(turn)))).flat();
        for (const [path, history] of historiesOf(changes)) {
          const file = await changedFile(store, root, path, history);
          if (file) files.push(file);
        }
      }
      return files.sort((a, b) => (a.path < b.path ? -1 : 1));
    },
  };
}

function notCoveredOf(changes: readonly RecordedChange[]): string[] {
  return changes.flatMap(({ kind, path }) => (kind === 'not-covered' ? [path] : []));
}

async function changedFile(
  store: UndoRecords,
  root: string,
  path: string,
  history: readonly RecordedChange[],
): Promise<ChangedFile | undefined> {
  const first = history[0]?.before;
  const last = history.at(-1)?.after;
  if (first?.sha256 === last?.sha256) return undefined;
  const [before, after] = await Promise.all([first && store.content(first.sha256), last && store.content(last.sha256)]);
  const { text, ...counts } = await unifiedDiff({ path, before, after, maxChars: DIFF_CHARS });
  const status = !before ? 'created' : after ? 'modified' : 'deleted';
  return { path, root, status, diff: text, ...counts };
}

function chooseTurn(turns: readonly RecordedTurn[], wanted: string | undefined): RecordedTurn {
  if (wanted === undefined) {
    const newest = turns.findLast((turn) => turn.undoes === undefined && !undoOf(turn, turns));
    if (!newest)
      throw new UndoError('UNDO_NOTHING', 'there is nothing to undo: no turn of this session changed a file');
    return newest;
  }
  const turn = findTurn(turns, wanted);
  const undo = undoOf(turn, turns);
  if (undo) {
    const again = `bring it back with --turn ${undo.turnId}`;
    throw new UndoError('UNDO_ALREADY', `${turn.turnId} was undone already (${undo.turnId}): ${again}`);
  }
  return turn;
}

function findTurn(turns: readonly RecordedTurn[], wanted: string): RecordedTurn {
  const exact = turns.find(({ turnId }) => turnId === wanted);
  const alike = turns.filter(({ turnId }) => turnId.startsWith(wanted));
  const found = exact ?? (alike.length === 1 ? alike[0] : undefined);
  if (found) return found;
  const why = alike.length > 1 ? `${alike.length} turns begin with "${wanted}"` : `no turn "${wanted}" changed a file`;
  throw new UndoError('UNDO_UNKNOWN_TURN', `${why} in this session; "lainclaw undo --list" lists the turns`);
}

/** The undo of the turn that was not undone itself. */
function undoOf(turn: RecordedTurn, turns: readonly RecordedTurn[]): RecordedTurn | undefined {
  return turns.find((other) => other.undoes === turn.turnId && !undoOf(other, turns));
}

function conflictError(turn: RecordedTurn, conflicts: readonly Conflict[], force: boolean): UndoError {
  const list = conflicts.map(({ path, reason }) => `${path} (${reason})`).join(', ');
  const advice = force ? 'move it away and try again' : '--force overwrites later changes';
  return new UndoError('UNDO_CONFLICT', `${turn.turnId} was not undone: ${list}; ${advice}`, { conflicts });
}

function timeOf({ recordedAt }: RecordedTurn): string {
  return new Date(recordedAt).toISOString();
}
