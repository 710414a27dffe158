// Puts back what commands have left whose Lainclaw was killed: what git would run on the host, and of a tainted turn what other programs
// run or follow. A record is removed last, so that a kill in the middle of this is finished by the next one. What a person has changed
// since the kill among files of the second kind is named and stays. Nothing is put back before the sandboxes of that Lainclaw are gone: what they
// still run could plant it again.
import { lstatSync } from 'node:fs';
import { endOrphans } from '../../sandbox/orphans.ts';
import { toSystem } from '../../workspace/byte-path.ts';
import { createExecutedWatcher } from '../../workspace/executed/watch-executed.ts';
import { createRepositoryWatcher } from '../../workspace/repositories/watch-repositories.ts';
import { executedReason } from '../permissions/executed-paths.ts';
import type { CommandRecords, KilledCommand } from './command-records.ts';
import { isBelowAny } from './watch-plants.ts';

/** The time of a kill is known to a second; on a busy machine less exactly. */
const LATER_MS = 5_000;

export interface FinishKilledCommands {
  records: CommandRecords;
  now(): number;
  /** A new path outside every workspace. */
  keptPath(name: string): Promise<string>;
}

/** One line for each thing that was put back or has to be looked at; empty when nothing was left. */
export async function finishKilledCommands({ records, now, keptPath }: FinishKilledCommands): Promise<string[]> {
  const lines: string[] = [];
  for (const path of records.killed()) {
    const command = await records.read(path);
    if (!command) {
      lines.push(
        `${path} is damaged: a command was killed, and what it left for git or an editor is not known. Look at .git/config and .git/hooks of its workspace, then run lainclaw doctor --fix`,
      );
      continue;
    }
    if (!(await endOrphans(records.ownerOf(path)))) {
      lines.push(
        `a command that was killed with its Lainclaw still runs in ${command.root}: end it (ps -ef | grep bwrap), then run lainclaw doctor; until then start no git or editor there`,
      );
      continue;
    }
    const notes = await putBackAll(command, { now, keptPath });
    lines.push(...notes.map((note) => `left in ${command.root} by a command that was killed: ${note}`));
    await records.remove(path);
  }
  return lines;
}

async function putBackAll(
  { root, repositories, executed, approved, aliveAt }: KilledCommand,
  given: Pick<FinishKilledCommands, 'now' | 'keptPath'>,
): Promise<string[]> {
  if (!lstatSync(root, { throwIfNoEntry: false })?.isDirectory()) return [];
  const ofGit = await createRepositoryWatcher().putBack(repositories, { ...given, root });
  if (!executed) return ofGit;
  const ofOthers = await createExecutedWatcher(executedReason).putBack(executed, {
    ...given,
    root,
    isApproved: (path) => isBelowAny(path, approved),
    isLater: (path) => changedAt(root, path) > aliveAt + LATER_MS,
  });
  return [...ofGit, ...ofOthers];
}

function changedAt(root: string, path: string): number {
  try {
    return lstatSync(toSystem(`${Buffer.from(root).toString('latin1')}/${path}`)).ctimeMs;
  } catch {
    return 0;
  }
}
