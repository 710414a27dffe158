// Undo: every change the agent makes to a file is recorded before it happens, by session and turn; a turn can be shown as a
// diff and undone. An undo is recorded as a turn of its own, so that it can be undone too. That record is durable before the
// first file is touched, and `unfinished-undos.ts` names it until the person has seen the result: an undo whose process is
// killed is finished by the next command, and the next undo reports it instead of going further back.
import type { Fence, Lock, Locks } from '../storage/locks.ts';
import type { FileChange, RecordedChange, RecordedTurn, TurnScope, UndoRecords } from '../storage/undo-records.ts';
import { type ChangeSet, createChangeSets } from './change-sets.ts';
import { finishRestore } from './finish-restore.ts';
import {
  type Applied,
  applyPlan,
  asChanges,
  type Conflict,
  directoriesOf,
  type FileAccess,
  type FileAction,
  historiesOf,
  planRestore,
} from './restore.ts';
import { UndoError } from './undo-error.ts';
import type { UnfinishedUndo, UnfinishedUndos } from './unfinished-undos.ts';
import { unifiedDiff } from './unified-diff.ts';

export interface UndoDependencies {
  records: UndoRecords;
  locks: Locks;
  unfinished: UnfinishedUndos;
  /** The files of the workspace with this root. */
  openFiles(root: string): Promise<FileAccess>;
  newId(prefix: string): string;
  /** Shows a line to the person who runs the process. */
  warn(text: string): void;
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
  /** Takes what has to be done once the person has seen the result; without it, that is done before the result is returned. */
  afterShown?: (work: () => Promise<void>) => void;
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
  /** Changes several files as one; see ChangeSets. */
  applyTogether(scope: TurnScope, changeSet: ChangeSet, fence?: Fence): Promise<Applied>;
  /** Turns that changed files, newest first. */
  turns(sessionId: string): Promise<ListedTurn[]>;
  /**
   * Restores all files of the turn or, as far as the system allows, none. Where an earlier undo of the session was interrupted,
   * finishes that one and, unless another turn is asked for, resolves with its result. Rejects with UndoError.
   */
  undo(request: UndoRequest): Promise<Undone>;
  /** The files that a turn, or the whole session, changed; sorted by path. Rejects with UndoError. */
  diff(request: { sessionId: string; turnId?: string }): Promise<ChangedFile[]>;
  /** Finishes interrupted change sets and the interrupted undos of every session; one whose session is in use is left to the next command. */
  finishInterrupted(): Promise<void>;
}

const DIFF_CHARS = 200_000;

export function createUndo(dependencies: UndoDependencies): Undo {
  const { records: store, locks, unfinished, openFiles, newId, warn } = dependencies;
  const changeSets = createChangeSets(dependencies);

  /** Undefined when the undo was interrupted before it touched a file. The caller ends it. */
  async function finish({ sessionId, undoId }: UnfinishedUndo, lock: Lock): Promise<Undone | undefined> {
    const turns = await store.turns(sessionId);
    const turn = turns.find((each) => each.turnId === undoId);
    if (turn?.undoes === undefined) return undefined;
    const undoes = turns.find((each) => each.turnId === turn.undoes);
    const undone = undoes ? await store.changes(undoes) : [];
    const changes = await store.changes(turn);
    const directories = directoriesOf(undone);
    const request = { root: turn.root, id: undoId, changes, directories, store, openFiles };
    const { files, left } = await finishRestore(request).catch((cause: unknown) => {
      const why = `the undo of ${turn.undoes} was interrupted and could not be finished: ${messageOf(cause)}`;
      throw new UndoError('UNDO_FAILED', why, { cause });
    });
    if (left.length > 0)
      await store.forgetFiles(
        turn,
        left.map(({ path }) => path),
        lock,
      );
    warn(`the undo of ${turn.undoes} was interrupted: it is finished now`);
    for (const { path, reason } of left) warn(`${path} was left as it is: ${reason}`);
    const notCovered = notCoveredOf(undone);
    return { turnId: turn.undoes, recordedAt: timeOf(undoes ?? turn), root: turn.root, undoId, files, notCovered };
  }

  async function finishInterrupted(): Promise<void> {
    await changeSets.finishInterrupted();
    for (const undo of await unfinished.list()) {
      const lock = await locks.tryAcquire(`session:${undo.sessionKey}`);
      if (!lock) continue;
      try {
        if (!(await isUnfinished(undo))) continue;
        await finish(undo, lock);
        await unfinished.end(undo.undoId);
      } catch (error) {
        if (!(error instanceof UndoError)) throw error;
        warn(error.message);
      } finally {
        await lock.release();
      }
    }
  }

  /** Another process may have finished it before the lock was free. */
  async function isUnfinished({ undoId }: UnfinishedUndo): Promise<boolean> {
    return (await unfinished.list()).some((each) => each.undoId === undoId);
  }

  /** The result of an undo that was interrupted and is the one that is asked for now. */
  async function finishSession(
    { sessionKey, sessionId, turnId }: UndoRequest,
    lock: Lock,
  ): Promise<Undone | undefined> {
    let asked: Undone | undefined;
    for (const undo of (await unfinished.list()).filter((each) => each.sessionKey === sessionKey)) {
      const undone = await finish(undo, lock);
      const isAsked = undo.sessionId === sessionId && (turnId === undefined || undone?.turnId.startsWith(turnId));
      if (undone && isAsked) asked = undone;
      else await unfinished.end(undo.undoId);
    }
    return asked;
  }

  async function undoTurn({ sessionKey, sessionId, turnId, force, signal }: UndoRequest, lock: Lock): Promise<Undone> {
    const turn = chooseTurn(await store.turns(sessionId), turnId);
    const files = await openFiles(turn.root);
    const plan = await planRestore({ turn, store, files, force });
    if (plan.conflicts.length > 0) throw conflictError(turn, plan.conflicts, force);
    signal?.throwIfAborted();
    const undoId = newId('undo');
    const scope = { sessionId, turnId: undoId, root: turn.root };
    await unfinished.begin({ undoId, sessionKey, sessionId });
    try {
      await store.add(scope, asChanges(plan), { undoes: turn.turnId, fence: lock });
    } catch (error) {
      await unfinished.end(undoId);
      throw error;
    }
    const applied = await applyPlan(plan, files, undoId);
    if (!applied.ok) {
      const why = `${turn.turnId} was not undone: ${messageOf(applied.cause)}`;
      const { cause } = applied;
      if (!applied.isPutBack)
        throw new UndoError('UNDO_FAILED', `${why}; not every file could be restored: the next command continues`, {
          cause,
        });
      await store.forget(scope);
      await unfinished.end(undoId);
      throw new UndoError('UNDO_FAILED', why, { cause });
    }
    return {
      turnId: turn.turnId,
      recordedAt: timeOf(turn),
      root: turn.root,
      undoId,
      files: plan.files.map(({ path, action }) => ({ path, action })),
      notCovered: notCoveredOf(await store.changes(turn)),
    };
  }

  return {
    record: (scope, changes, more) => store.add(scope, changes, more),
    applyTogether: changeSets.apply,

    async turns(sessionId) {
      await finishInterrupted();
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

    async undo(request) {
      const { sessionKey, signal, onWait, afterShown } = request;
      await changeSets.finishInterrupted();
      const lock = await locks.acquire(`session:${sessionKey}`, { signal, onWait });
      try {
        const undone = (await finishSession(request, lock)) ?? (await undoTurn(request, lock));
        const end = (): Promise<void> => unfinished.end(undone.undoId).finally(() => lock.release());
        if (afterShown) afterShown(end);
        else await end();
        return undone;
      } catch (error) {
        await lock.release();
        throw error;
      }
    },

    async diff({ sessionId, turnId }) {
      await finishInterrupted();
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

    finishInterrupted,
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
    if (newest) return newest;
    const why =
      turns.length === 0
        ? 'no turn of this session changed a file'
        : 'what this session changed was taken back already';
    throw new UndoError('UNDO_NOTHING', `there is nothing to undo: ${why}`);
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

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

function timeOf({ recordedAt }: RecordedTurn): string {
  return new Date(recordedAt).toISOString();
}
