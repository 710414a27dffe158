// What a command may not leave in the workspace: what git would run on the host, and in a tainted turn whatever other programs run or
// follow and no person approved. Each is looked at before the command, and put back after it.
import { relative } from 'node:path';
import { describeTaint } from '../../vocabulary/taint-source.ts';
import { createExecutedWatcher } from '../../workspace/executed/watch-executed.ts';
import { createRepositoryWatcher } from '../../workspace/repositories/watch-repositories.ts';
import { executedReason } from '../permissions/executed-paths.ts';
import type { ToolContext } from '../tool.ts';

export interface PlantWatch {
  /** Once the command has ended, however it ended. Tells what was put back, one line each. */
  finish(): Promise<string[]>;
}

export type WatchPlants = (
  context: Pick<ToolContext, 'workspace' | 'signal' | 'now' | 'keptPath' | 'tainted'>,
) => Promise<PlantWatch>;

/** Remembers the directories that it has read. */
export function createPlantWatcher(): WatchPlants {
  const watchRepositories = createRepositoryWatcher();
  const watchExecuted = createExecutedWatcher(executedReason);
  return async ({ workspace: { root }, signal, now, keptPath, tainted }) => {
    const approved = tainted?.approvedPaths.map((path) => relative(root, path)) ?? [];
    const isApproved = (path: string): boolean => approved.some((each) => path === each || path.startsWith(`${each}/`));
    const [repositories, executed] = await Promise.all([
      watchRepositories({ root, signal, now, keptPath }),
      tainted && watchExecuted({ root, signal, now, keptPath, isApproved }),
    ]);
    return {
      async finish() {
        const ofGit = await repositories.finish();
        const ofOthers = (await executed?.finish()) ?? [];
        if (ofOthers.length === 0 || !tainted) return ofGit;
        const from = tainted.sources.map(describeTaint).join(', ');
        const advice = `this turn has content from outside (${from}): to change such a file, write it with file_write or file_edit, and a person is asked`;
        return [...ofGit, ...ofOthers, advice];
      },
    };
  };
}
