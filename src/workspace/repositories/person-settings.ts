// Git settings of the person that no command of the sandbox writes: those of repositories around a directory, and those of all their
// repositories. They may name files of the workspace, which git then runs.
import { readFileSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { toBytePath, toSystem } from '../byte-path.ts';

const LARGEST_BYTES = 1024 * 1024;

/** A configuration of git, and the directory that its paths start from when git runs something. Absolute byte paths. */
export interface GitSettings {
  path: string;
  text: string;
  worktree: string;
}

/** Of the repositories that hold this directory, the nearest first. */
export function settingsAround(directory: string): GitSettings[] {
  const found: GitSettings[] = [];
  for (let at = directory; ; at = posix.dirname(at)) {
    for (const git of gitDirectories(posix.join(at, '.git')))
      for (const name of ['config', 'config.worktree']) {
        const path = posix.join(git, name);
        const text = readText(path);
        if (text !== undefined) found.push({ path, text, worktree: at });
      }
    if (posix.dirname(at) === at) return found;
  }
}

/** What holds in each of these worktrees, whichever repository it is of. */
export function settingsEverywhere(worktrees: Iterable<string>, userHome: string): GitSettings[] {
  const home = toBytePath(userHome);
  const own = home === '' ? [] : [posix.join(home, '.gitconfig'), posix.join(home, '.config/git/config')];
  const files = [...own, '/etc/gitconfig'];
  const read = files.flatMap((path) => {
    const text = readText(path);
    return text === undefined ? [] : [{ path, text }];
  });
  return [...worktrees].flatMap((worktree) => read.map((each) => ({ ...each, worktree })));
}

/** As text of bytes; undefined where there is no file that can be read. */
export function readText(bytePath: string): string | undefined {
  try {
    const path = toSystem(bytePath);
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats?.isFile() && stats.size <= LARGEST_BYTES ? readFileSync(path, 'utf8') : undefined;
  } catch {
    return undefined;
  }
}

/** A `.git` that is a directory, or the one that a `.git` file names, with the one that this shares its settings with. */
function gitDirectories(path: string): string[] {
  const named = /^gitdir:\s*(.+)/.exec(readText(path) ?? '')?.[1];
  if (named === undefined) return [path];
  const git = posix.resolve(posix.dirname(path), toBytePath(named.trim()));
  const common = readText(posix.join(git, 'commondir'))?.trim();
  return common ? [git, posix.resolve(git, toBytePath(common))] : [git];
}
