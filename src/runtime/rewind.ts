// Going back to an earlier turn of a session, with the files that later turns changed. That is several undos and a copy of the
// conversation: what is to be done is on record first (`unfinished-undos.ts`), so that the next command finishes a rewind whose process
// was killed. Each step is safe to repeat: a turn that is undone is not undone again, and the copy ends it, since the key then
// names another session.
import { chooseTurn } from '../sessions/choose-turn.ts';
import type { SessionChanges, Waiting } from '../sessions/session-changes.ts';
import type { Sessions } from '../sessions/sessions.ts';
import type { Locks } from '../storage/locks.ts';
import { type SessionEntry, StorageError } from '../storage/storage.ts';
import type { Undo, Undone } from '../undo/undo.ts';
import type { UnfinishedRewind, UnfinishedUndos } from '../undo/unfinished-undos.ts';
import { CodedError } from '../vocabulary/coded-error.ts';

export interface RewindDependencies {
  sessions: Pick<Sessions, 'get' | 'history'>;
  sessionChanges(): Promise<Pick<SessionChanges, 'fork'>>;
  undo(): Promise<Pick<Undo, 'turns' | 'undo'>>;
  unfinished: Pick<UnfinishedUndos, 'rewinds' | 'beginRewind' | 'endRewind'>;
  locks: Locks;
  /** Shows a line to the person who runs the process. */
  warn(text: string): void;
}

export interface RewindRequest extends Waiting {
  from: SessionEntry;
  /** The turn to go back to, by the beginning of its id. */
  turn: string;
  /** That turn goes too: back to where it began. It need not have ended. */
  before: boolean;
  /** Also take back what later turns changed in files. */
  files: boolean;
  /** Also overwrite what was changed since. */
  force: boolean;
}

export interface Rewound {
  entry: SessionEntry;
  turnId: string;
  /** Paths of files that were taken back. */
  restored: string[];
  /** Reasons why changes that commands made, or may have made, were not taken back. */
  notCovered: string[];
}

export interface Rewinding {
  /** Takes back the files of all later turns, or of none where one cannot be; then goes back in the conversation. */
  rewind(request: RewindRequest): Promise<Rewound>;
  /** Finishes rewinds of killed processes, and returns the keys of their sessions. */
  finishInterrupted(): Promise<string[]>;
}

export function createRewinding(dependencies: RewindDependencies): Rewinding {
  const { sessions, unfinished, locks, warn } = dependencies;
  const lockOf = (sessionKey: string): string => `rewind:${sessionKey}`;

  /** The turns that one can go back to, oldest first. */
  async function turnsOf({ from: { sessionId }, before, signal }: RewindRequest): Promise<string[]> {
    const ids: string[] = [];
    for await (const item of sessions.history(sessionId)) {
      signal.throwIfAborted();
      if (item.kind === 'turn' && item.turn.turnId !== undefined && (before || item.turn.outcome !== 'unfinished'))
        ids.push(item.turn.turnId);
    }
    return ids;
  }

  /** The newest turn first: all of them, or none where one cannot be taken back. */
  async function restoreFiles(
    session: SessionEntry,
    turnIds: ReadonlySet<string>,
    options: Waiting & { force: boolean },
  ): Promise<Undone[]> {
    const undo = await dependencies.undo();
    const wanted = (await undo.turns(session.sessionId)).filter(({ turnId, undone }) => turnIds.has(turnId) && !undone);
    const done: Undone[] = [];
    try {
      for (const { turnId } of wanted) done.push(await undo.undo({ ...session, ...options, turnId }));
      return done;
    } catch (error) {
      for (const { undoId } of done.toReversed())
        await undo.undo({ ...session, turnId: undoId, force: false }).catch(() => {});
      throw error;
    }
  }

  async function complete(request: RewindRequest): Promise<Rewound> {
    const { from, turn, before, files, force, ...waiting } = request;
    const turnIds = await turnsOf(request);
    const at = chooseTurn(turnIds, turn);
    const turnId = turnIds[at] ?? turn;
    const later = new Set(turnIds.slice(before ? at : at + 1));
    const done = files ? await restoreFiles(from, later, { ...waiting, force }) : [];
    const { entry } = await (await dependencies.sessionChanges()).fork({
      from,
      turn: turnId,
      before,
      as: from.sessionKey,
      ...waiting,
    });
    const changed = done.flatMap(({ files: each }) => each.filter(({ action }) => action !== 'unchanged'));
    return {
      entry,
      turnId,
      restored: [...new Set(changed.map(({ path }) => path))].toSorted(),
      notCovered: [...new Set(done.flatMap(({ notCovered }) => notCovered))],
    };
  }

  async function finish({ sessionKey, sessionId, turnId, before, force }: UnfinishedRewind): Promise<void> {
    const from = await sessions.get(sessionKey);
    // Otherwise the copy was made: only the record is left.
    if (from?.sessionId !== sessionId) return;
    const { signal } = new AbortController();
    await complete({ from, turn: turnId, before: before === true, files: true, force, signal });
    warn(`going back in "${sessionKey}" was interrupted: it is finished now`);
  }

  return {
    async rewind(request) {
      const { sessionKey, sessionId } = request.from;
      if (!request.files) return complete(request);
      const lock = await locks.acquire(lockOf(sessionKey), request);
      try {
        const turnIds = await turnsOf(request);
        const turnId = turnIds[chooseTurn(turnIds, request.turn)] ?? request.turn;
        await unfinished.beginRewind({
          sessionKey,
          sessionId,
          turnId,
          ...(request.before && { before: true }),
          force: request.force,
        });
        const rewound = await complete(request);
        await unfinished.endRewind(sessionId);
        return rewound;
      } catch (error) {
        // On a full disk the next command continues; in any other case nothing of it is left to be done.
        if (!(error instanceof StorageError)) await unfinished.endRewind(sessionId);
        else warn(`going back in "${sessionKey}" is finished by the next command that can store it`);
        throw error;
      } finally {
        await lock.release();
      }
    },

    async finishInterrupted() {
      const finished: string[] = [];
      for (const rewind of await unfinished.rewinds()) {
        const lock = await locks.tryAcquire(lockOf(rewind.sessionKey));
        if (!lock) continue;
        try {
          // Another process may have finished it before the lock was free.
          if (!(await unfinished.rewinds()).some(({ sessionId }) => sessionId === rewind.sessionId)) continue;
          await finish(rewind);
          finished.push(rewind.sessionKey);
          await unfinished.endRewind(rewind.sessionId);
        } catch (error) {
          if (!(error instanceof CodedError) || error instanceof StorageError) throw error;
          warn(`going back in "${rewind.sessionKey}" was interrupted, and was taken back: ${error.message}`);
          await unfinished.endRewind(rewind.sessionId);
        } finally {
          await lock.release();
        }
      }
      return finished;
    },
  };
}
