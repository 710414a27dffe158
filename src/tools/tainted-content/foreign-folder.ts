// Whether a folder was cloned from elsewhere and is not trusted: the nearest repository above it names a remote that is not a path of this
// machine, and no person has trusted it.
import { readFileSync, statSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';

const REMOTE_URL = /^\s*url\s*=\s*(.+?)\s*$/gm;
/** A path of this machine. */
const LOCAL = /^(?:\/|\.\.?\/|~|file:)/;
const MOST_BYTES = 262_144;

export type IsTrusted = (folder: string) => Promise<boolean>;

/** The folder of the clone; undefined when it is none, or trusted. */
export async function foreignFolder(folder: string, isTrusted: IsTrusted): Promise<string | undefined> {
  const clone = cloneAround(folder);
  if (clone === undefined || (await isTrusted(folder)) || (await isTrusted(clone))) return undefined;
  return clone;
}

function cloneAround(folder: string): string | undefined {
  for (let at = folder; ; at = dirname(at)) {
    const configs = configsOf(join(at, '.git'));
    if (configs) return configs.some(hasRemote) ? at : undefined;
    if (at === dirname(at)) return undefined;
  }
}

/** Undefined when there is no repository. A worktree has its settings where its `.git` file leads. */
function configsOf(git: string): string[] | undefined {
  try {
    const stats = statSync(git, { throwIfNoEntry: false });
    if (!stats) return undefined;
    if (stats.isDirectory()) return [join(git, 'config')];
    const [, directory = ''] = /^gitdir:\s*(.+?)\s*$/m.exec(readFileSync(git, 'utf8').slice(0, MOST_BYTES)) ?? [];
    const own = resolve(dirname(git), directory);
    return [join(own, 'config'), resolve(own, '../../config')];
  } catch {
    return undefined;
  }
}

export function hasRemote(config: string): boolean {
  try {
    const text = readFileSync(config, 'utf8').slice(0, MOST_BYTES);
    return [...text.matchAll(REMOTE_URL)].some(([, url = '']) => !LOCAL.test(url.replace(/^"/, '')));
  } catch {
    return false;
  }
}
