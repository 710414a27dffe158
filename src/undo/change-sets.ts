// A change set: several files changed as one, all or none. The whole set is on record, durably, before the first file is touched, and
// `unfinished-undos.ts` names it until the last file is written. After a failure the files already written are put back; a set whose
// process was killed is finished by the next command.
import type { Fence, Locks } from '../storage/locks.ts';
import type { FileChange, TurnScope, UndoRecords } from '../storage/undo-records.ts';
import { WorkspaceError } from '../vocabulary/workspace-error.ts';
import { finishRestore } from './finish-restore.ts';
import { type Applied, applyPlan, type FileAccess, type PlannedFile } from './restore.ts';
import type { UnfinishedChangeSet, UnfinishedUndos } from './unfinished-undos.ts';

export interface ChangeSet {
  tool: string;
  files: readonly PlannedFile[];
  /** Parent directories that will be made, outermost first. */
  madeDirectories: readonly string[];
  /** The files of the workspace as the tool may change them. */
  access: FileAccess;
}

export interface ChangeSetDependencies {
  records: UndoRecords;
  locks: Locks;
  unfinished: UnfinishedUndos;
  openFiles(root: string): Promise<FileAccess>;
  newId(prefix: string): string;
  warn(text: string): void;
}

export interface ChangeSets {
  /** Rejects, with nothing changed, when the set could not be recorded. */
  apply(scope: TurnScope, changeSet: ChangeSet, fence?: Fence): Promise<Applied>;
  /** One that another process is applying is left to it. */
  finishInterrupted(): Promise<void>;
}

/** Held while files are written: its next holder finds only sets whose process is gone. */
const LOCK = 'change-set';

export function createChangeSets(dependencies: ChangeSetDependencies): ChangeSets {
  const { records, locks, unfinished, openFiles, newId, warn } = dependencies;

  async function applyLocked(scope: TurnScope, changeSet: ChangeSet, fence: Fence | undefined): Promise<Applied> {
    const { files, madeDirectories, access } = changeSet;
    const id = newId('change');
    const tool = toolOf(changeSet.tool, id);
    const changes = files.map(({ path, current, target }, index) => ({
      tool,
      path,
      before: current,
      after: target,
      madeDirectories: index === 0 ? madeDirectories : [],
    }));
    const entry = { id, tool, sessionId: scope.sessionId, turnId: scope.turnId };
    await unfinished.beginChangeSet(entry);
    try {
      await records.add(scope, changes, { fence });
    } catch (error) {
      await unfinished.endChangeSet(id);
      throw error;
    }
    const applied = await applyPlan({ files: [...files], conflicts: [], directories: [] }, access, id);
    if (!applied.ok) {
      // What could not be put back is left to the next command, which makes the rest of the changes.
      if (!applied.isPutBack) return applied;
      for (const path of madeDirectories.toReversed()) await access.removeEmptyDirectory(path).catch(() => {});
      // Whether or not that can be recorded: the next command would make changes that were reported as not made.
      await records.add(scope, changes.map(reversed), { fence }).finally(() => unfinished.endChangeSet(id));
      return applied;
    }
    await unfinished.endChangeSet(id);
    return applied;
  }

  async function finish({ id, tool, sessionId, turnId }: UnfinishedChangeSet): Promise<void> {
    const turn = (await records.turns(sessionId)).find((each) => each.turnId === turnId);
    const changes = turn ? (await records.changes(turn)).filter((change) => change.tool === tool) : [];
    if (!turn || changes.length === 0) return;
    const { left } = await finishRestore({ root: turn.root, id, changes, directories: [], store: records, openFiles });
    warn(
      `changes to ${changes.filter(({ kind }) => kind === 'file').length} files were interrupted: they are made now`,
    );
    for (const { path, reason } of left) warn(`${path} was left as it is: ${reason}`);
  }

  return {
    async apply(scope, changeSet, fence) {
      const lock = await locks.acquire(LOCK);
      try {
        return await applyLocked(scope, changeSet, fence);
      } finally {
        await lock.release();
      }
    },

    async finishInterrupted() {
      if ((await unfinished.changeSets()).length === 0) return;
      const lock = await locks.tryAcquire(LOCK);
      if (!lock) return;
      try {
        for (const changeSet of await unfinished.changeSets()) {
          try {
            await finish(changeSet);
            await unfinished.endChangeSet(changeSet.id);
          } catch (error) {
            if (!(error instanceof WorkspaceError)) throw error;
            warn(
              `changes to files were interrupted and could not be finished: ${error.message}; the next command tries again`,
            );
          }
        }
      } finally {
        await lock.release();
      }
    },
  };
}

/** Tells the changes of this set from others of the same turn. */
function toolOf(tool: string, id: string): string {
  return `${tool} ${id}`;
}

function reversed({ tool, path, before, after }: FileChange): FileChange {
  return { tool, path, before: after, after: before, madeDirectories: [] };
}
