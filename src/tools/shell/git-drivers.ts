// Programs that a repository's settings put between git and its files: external diffs, text converters, filters. Each has a name of
// its own, so that none can be switched off without knowing it: git is asked which there are, which runs none of them.
import { execFile } from 'node:child_process';
import type { GitSetting } from '../permissions/guarded-environment.ts';

/** Shows what git would show, with a program of the system. Git gives it the path, then file, id and mode of both sides. */
const PLAIN_DIFF = 'f() { diff -u "$2" "$5"; :; }; f';

export interface GitDriversOptions {
  workspaceRoot: string;
  /** Of a command that only reads. */
  environment: Readonly<Record<string, string>>;
  /** Without a sandbox: git enters submodules, whose settings it does not name from outside. */
  nested: boolean;
  signal: AbortSignal;
}

/** Settings that put harmless programs in the place of those that are configured; none where there is no git. */
export async function withoutGitDrivers({
  workspaceRoot,
  environment,
  nested,
  signal,
}: GitDriversOptions): Promise<GitSetting[]> {
  const names = await new Promise<string>((resolve) => {
    const words = ['config', '--null', '--name-only', '--get-regexp', '^(diff|filter)\\.'];
    const options = {
      cwd: workspaceRoot,
      env: environment,
      signal,
      encoding: 'latin1',
      maxBuffer: 16 * 1024 ** 2,
    } as const;
    execFile('git', words, options, (_, stdout) => resolve(stdout));
  });
  signal.throwIfAborted();
  const own = Buffer.from(names, 'latin1').toString('utf8').split('\0');
  if (!nested) return replaceDrivers(own);
  const { settingNames } = await import('../../workspace/repositories/named-files.ts');
  return replaceDrivers([...own, ...(await settingNames(workspaceRoot, signal, environment.HOME ?? ''))]);
}

/** `names`: keys of settings, as git prints them. */
export function replaceDrivers(names: readonly string[]): GitSetting[] {
  const settings = names.flatMap((name): GitSetting[] => {
    if (name === 'diff.external') return [[name, PLAIN_DIFF]];
    const [, kind, driver = '', key] = /^(diff|filter)\.(.+)\.([^.]+)$/s.exec(name) ?? [];
    if (kind === 'diff' && key === 'command') return [[name, PLAIN_DIFF]];
    if (kind === 'diff' && key === 'textconv') return [[name, 'cat']];
    if (kind !== 'filter') return [];
    // An empty process keeps git from using the other two; without them a required filter would fail.
    const empty = ['process', 'clean', 'smudge'].map((each): GitSetting => [`filter.${driver}.${each}`, '']);
    return [...empty, [`filter.${driver}.required`, 'false']];
  });
  return [...new Map(settings)];
}
