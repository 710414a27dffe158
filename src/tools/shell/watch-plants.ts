// What a command may not leave in the workspace: what git would run on the host, and in a tainted turn whatever other programs run or
// follow and no person approved. Each is looked at before the command, and put back after it. What was there is on record while the
// command runs (`command-records.ts`): where Lainclaw is killed, the next one puts back what the command left. A command in the background
// is guarded like one of a tainted turn from the moment when such a turn may change what it runs; what others change meanwhile is theirs.
import { relative } from 'node:path';
import { describeTaint, type TaintSource } from '../../vocabulary/taint-source.ts';
import { toBytePath, toText } from '../../workspace/byte-path.ts';
import { createExecutedWatcher } from '../../workspace/executed/watch-executed.ts';
import { type EntryState, isSameState } from '../../workspace/repositories/git-entries.ts';
import { createRepositoryWatcher } from '../../workspace/repositories/watch-repositories.ts';
import { createDirectoryWalker, type WalkedWorkspace } from '../../workspace/walk-directories.ts';
import { executedReason } from '../permissions/executed-paths.ts';
import type { ToolContext } from '../tool.ts';
import type { CommandRecords, RunningRecord } from './command-records.ts';
import { KEPT_FILES } from './kept-files.ts';

export interface PlantWatch {
  /** What the last look has found, with the files of `KEPT_FILES`: the one before the command, or `putBack`. Undefined where that has changed it. */
  walked(): WalkedWorkspace | undefined;
  /** Resolves when what was there is durably on record; the command must not start before. */
  begin(): Promise<void>;
  /** The command has ended. Where what it left cannot be put back, its record stays, and what changes from now on is not the command's. */
  commandEnded(): void;
  /** Puts back what the command has left so far. Tells what it was, one line each. */
  putBack(): Promise<string[]>;
  /** The command has ended, however it ended, and what it left was put back, or it was never started: takes it off the record. */
  end(): Promise<void>;
  /** All three, one after the other. */
  finish(): Promise<string[]>;
  /** While it runs: from now on for all that other programs run. Resolves when that is durably on record. */
  guard(sources: readonly TaintSource[]): Promise<void>;
  /** Somebody else is about to give the file at this absolute path this content. */
  accept(path: string, file: { bytes: Uint8Array; mode: number }): Promise<void>;
  /** Somebody else may change what is at or below these absolute paths until the returned function is called; what is there then stays. */
  approve(paths: readonly string[]): () => Promise<void>;
}

export type WatchPlants = (
  context: Pick<ToolContext, 'workspace' | 'signal' | 'now' | 'keptPath' | 'tainted' | 'approvedPaths'> & {
    /** See Sandbox. */
    isOwn?(path: string): boolean;
  },
) => Promise<PlantWatch>;

/** Remembers the directories that it has read. `userHome`: where the person's settings of git are. */
export function createPlantWatcher(userHome: string, records?: Pick<CommandRecords, 'begin'>): WatchPlants {
  const repositories = createRepositoryWatcher(createDirectoryWalker({ files: KEPT_FILES }));
  const executed = createExecutedWatcher(executedReason);
  return async ({ workspace: { root }, signal, now, keptPath, tainted, approvedPaths = [], isOwn }) => {
    const approved = approvedPaths.map((path) => relative(root, path));
    let walked: WalkedWorkspace | undefined;
    const onWalked = (workspace: WalkedWorkspace): void => {
      walked = workspace;
    };
    const [ofGit, ofOthersFirst] = await Promise.all([
      repositories.look({ root, signal, now, userHome, isOwn, onWalked }),
      tainted && executed.look({ root, signal, now }),
    ]);
    let ofOthers = ofOthersFirst && new Map(ofOthersFirst);
    let sources = tainted?.sources ?? [];
    let approvedForOthers: string[] = [];
    /** What others have given files: each content is theirs, also the one before. */
    const accepted = new Map<string, EntryState[]>();
    let onRecord: RunningRecord | undefined;
    let hasEnded = false;
    let isOver = false;
    let recording: Promise<void> = Promise.resolve();

    /** What is on record is replaced: never is there none while the command runs. */
    function record(): Promise<void> {
      const next = async (): Promise<void> => {
        if (isOver) return;
        const before = onRecord;
        onRecord = await records?.begin({ root, repositories: ofGit, executed: ofOthers, approved });
        if (hasEnded) onRecord?.stopClock();
        await before?.remove();
      };
      recording = recording.then(next, next);
      return recording;
    }

    function isTheirs(path: string, state: EntryState): boolean {
      if (isBelowAny(path, approved) || isBelowAny(path, approvedForOthers)) return true;
      return accepted.get(toBytePath(path))?.some((each) => isSameState(each, state)) ?? false;
    }

    async function putBack(): Promise<string[]> {
      walked = undefined;
      const git = await repositories.putBack(ofGit, { root, now, keptPath, isOwn, onWalked });
      if (git.length > 0) walked = undefined;
      if (!ofOthers) return git;
      const others = await executed.putBack(ofOthers, { root, now, keptPath, isApproved: isTheirs });
      if (others.length === 0) return git;
      walked = undefined;
      const from = sources.map(describeTaint).join(', ');
      const advice = `this turn has content from outside (${from}): to change such a file, write it with file_write or file_edit, and a person is asked`;
      return [...git, ...others, advice];
    }

    /** True where the guard needs to know it. */
    function acceptState(path: string, state: EntryState): boolean {
      const text = toText(path);
      if (!ofOthers || executedReason(text, state.kind === 'link' ? 'link' : 'file') === undefined) return false;
      accepted.set(path, [...(accepted.get(path) ?? [ofOthers.get(path) ?? { kind: 'absent' }]), state]);
      ofOthers.set(path, state);
      return true;
    }

    async function end(): Promise<void> {
      isOver = true;
      await recording.catch(() => {});
      await onRecord?.remove();
    }

    function commandEnded(): void {
      hasEnded = true;
      onRecord?.stopClock();
    }

    return {
      walked: () => walked,
      begin: record,
      commandEnded,
      putBack,
      end,
      async finish() {
        commandEnded();
        const notes = await putBack();
        await end();
        return notes;
      },
      async guard(more) {
        sources = [...new Set([...sources, ...more])];
        if (ofOthers) return recording;
        const found = await executed.look({ root, signal: new AbortController().signal, now });
        ofOthers ??= new Map(found);
        await record();
      },
      async accept(path, { bytes, mode }) {
        const inside = relative(root, path);
        const state = { kind: 'file', bytes: Buffer.from(bytes), mode: mode & 0o777 } as const;
        if (!inside.startsWith('..') && acceptState(toBytePath(inside), state)) await record();
      },
      approve(paths) {
        const inside = paths.map((path) => relative(root, path));
        approvedForOthers = [...approvedForOthers, ...inside];
        return async () => {
          if (ofOthers) {
            const found = await executed.look({ root, signal: new AbortController().signal, now });
            const changed = [...found].filter(([path]) => isBelowAny(toText(path), inside));
            if (changed.filter(([path, state]) => acceptState(path, state)).length > 0) await record();
          }
          approvedForOthers = approvedForOthers.filter((each) => !inside.includes(each));
        };
      },
    };
  };
}

export function isBelowAny(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || path.startsWith(`${place}/`));
}
