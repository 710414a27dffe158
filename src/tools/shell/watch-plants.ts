// What a command may not leave in the workspace: what git would run on the host, and in a tainted turn whatever other programs run or
// follow and no person approved. Each is looked at before the command, and put back after it. What was there is on record while the
// command runs (`command-records.ts`): where Lainclaw is killed, the next one puts back what the command left.
import { relative } from 'node:path';
import { describeTaint } from '../../vocabulary/taint-source.ts';
import { createExecutedWatcher } from '../../workspace/executed/watch-executed.ts';
import { createRepositoryWatcher } from '../../workspace/repositories/watch-repositories.ts';
import { executedReason } from '../permissions/executed-paths.ts';
import type { ToolContext } from '../tool.ts';
import type { CommandRecords } from './command-records.ts';

export interface PlantWatch {
  /** Right before the command. Resolves when what was there is durably on record; the command must not start before. */
  begin(): Promise<void>;
  /** Puts back what the command has left so far. Tells what it was, one line each. */
  putBack(): Promise<string[]>;
  /** The same once the command has ended, however it ended; takes it off the record. */
  finish(): Promise<string[]>;
}

export type WatchPlants = (
  context: Pick<ToolContext, 'workspace' | 'signal' | 'now' | 'keptPath' | 'tainted'>,
) => Promise<PlantWatch>;

/** Remembers the directories that it has read. */
export function createPlantWatcher(records?: Pick<CommandRecords, 'begin'>): WatchPlants {
  const repositories = createRepositoryWatcher();
  const executed = createExecutedWatcher(executedReason);
  return async ({ workspace: { root }, signal, now, keptPath, tainted }) => {
    const approved = tainted?.approvedPaths.map((path) => relative(root, path)) ?? [];
    const [ofGit, ofOthers] = await Promise.all([
      repositories.look({ root, signal, now }),
      tainted && executed.look({ root, signal, now }),
    ]);
    let takeOff: (() => Promise<void>) | undefined;

    async function putBack(): Promise<string[]> {
      const git = await repositories.putBack(ofGit, { root, now, keptPath });
      if (!ofOthers || !tainted) return git;
      const isApproved = (path: string): boolean => isBelowAny(path, approved);
      const others = await executed.putBack(ofOthers, { root, now, keptPath, isApproved });
      if (others.length === 0) return git;
      const from = tainted.sources.map(describeTaint).join(', ');
      const advice = `this turn has content from outside (${from}): to change such a file, write it with file_write or file_edit, and a person is asked`;
      return [...git, ...others, advice];
    }

    return {
      async begin() {
        takeOff = await records?.begin({ root, repositories: ofGit, executed: ofOthers, approved });
      },
      putBack,
      async finish() {
        const notes = await putBack();
        await takeOff?.();
        return notes;
      },
    };
  };
}

export function isBelowAny(path: string, places: readonly string[]): boolean {
  return places.some((place) => path === place || path.startsWith(`${place}/`));
}
