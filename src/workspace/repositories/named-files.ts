// Files of the workspace that the person's own settings have git obey: a directory of hooks, included settings, and the programs by which
// git watches, filters and compares files.

import { readdirSync, realpathSync, statSync } from 'node:fs';
import { posix } from 'node:path';
import { reasonText } from '../../vocabulary/reasons.ts';
import { toBytePath, toSystem } from '../byte-path.ts';
import { createDirectoryWalker } from '../walk-directories.ts';
import { entryState, type GitEntry, splitPath, textOf } from './git-entries.ts';
import { inDirectory } from './in-directory.ts';
import { type GitSettings, readText, settingsAround, settingsEverywhere } from './person-settings.ts';
import { riskySettings } from './risky-settings.ts';

/** Names that git, or husky for it, runs; such a directory may hold other scripts of the person's. */
const HOOK =
  /^(?:(?:pre|post|p4)-.+|(?:prepare-)?commit-msg|applypatch-msg|update|push-to-checkout|reference-transaction|proc-receive|sendemail-validate|fsmonitor-watchman|h|husky\.sh|common\.sh)$/;
/** Settings whose value is not a program that git starts by itself. */
const STARTS_NOTHING =
  /^(?:alias|user|color|url|includeif|include)\.|^core\.(?:hookspath|excludesfile|attributesfile)=/;
const LARGEST_INCLUDES = 50;

export interface NamedFiles {
  /** Byte paths relative to the root. */
  hookDirectories: ReadonlySet<string>;
  settings: ReadonlySet<string>;
  programs: ReadonlySet<string>;
}

/** `entries`: of the repositories before a command, so that nothing is named by the command itself. */
export function namedFiles(root: string, entries: readonly GitEntry[], userHome: string): NamedFiles {
  const base = toBytePath(root);
  const own = entries.flatMap(({ role, path, state }): GitSettings[] => {
    if (role !== 'settings') return [];
    const text = textOf(state);
    const directory = posix.join(base, splitPath(path)[0]);
    return [{ path: posix.join(base, path), text, worktree: worktreeOf(directory, text) }];
  });
  const around = settingsAround(posix.dirname(base));
  const worktrees = new Set([...own, ...around].map(({ worktree }) => worktree));
  const obeyed = obeyedBy([...own, ...around, ...settingsEverywhere(worktrees, userHome)], userHome);
  const inside = (paths: ReadonlySet<string>): Set<string> =>
    new Set([...paths].flatMap((path) => (path.startsWith(`${base}/`) ? [path.slice(base.length + 1)] : [])));
  return {
    hookDirectories: inside(obeyed.hookDirectories),
    settings: inside(obeyed.settings),
    programs: inside(obeyed.programs),
  };
}

/** As they are now. */
export function entriesOfNamed(root: string, { hookDirectories, settings, programs }: NamedFiles): GitEntry[] {
  const hooks = [...hookDirectories].flatMap((directory) => {
    const names = inDirectory(root, directory, (address) => readdirSync(address, 'latin1')) ?? [];
    return names.filter((name) => HOOK.test(name)).map((name) => `${directory}/${name}`);
  });
  const entry = (role: GitEntry['role'], path: string): GitEntry => ({ role, path, state: entryState(root, path) });
  // A link in the place of a directory on the way leads git to other files of these names.
  const ways = new Set(
    [...hookDirectories, ...[...settings, ...programs].map((path) => splitPath(path)[0])].flatMap(wayTo),
  );
  return [
    ...[...ways].map((path) => entry('hooks', path)),
    ...hooks.map((path) => entry('hook', path)),
    ...[...settings].map((path) => entry('settings', path)),
    ...[...programs].map((path) => entry('program', path)),
  ];
}

/** Names of settings, as git prints them, of every repository below the root. */
export async function settingNames(root: string, signal: AbortSignal, userHome: string): Promise<string[]> {
  // It looks once, so it need not know which directories have rested.
  const { repositories } = await createDirectoryWalker()(root, { signal, now: () => 0 });
  const base = toBytePath(root);
  const sources = repositories.flatMap((repository) =>
    ['config', 'config.worktree'].flatMap((name): GitSettings[] => {
      const path = posix.join(base, repository, name);
      const text = readText(path);
      return text === undefined ? [] : [{ path, text, worktree: base }];
    }),
  );
  const settings = [...withIncluded(sources, toBytePath(userHome))];
  return settings.map(({ setting }) => setting.replace(/=.*$/s, '').replace(/\\(.)/g, '$1'));
}

/** Says why git would obey what is written at an absolute path, existing or not. Reads each configuration once. */
export function createObeyedByGit(userHome: string): (path: string) => string | undefined {
  const known = new Map<string, Obeyed>();
  function around(directory: string): Obeyed {
    const before = known.get(directory);
    if (before) return before;
    const settings = settingsAround(directory);
    const worktrees = new Set(settings.map(({ worktree }) => worktree));
    const obeyed = obeyedBy([...settings, ...settingsEverywhere(worktrees, userHome)], userHome);
    known.set(directory, obeyed);
    return obeyed;
  }
  return (text) => {
    const path = toBytePath(text);
    const directory = posix.dirname(path);
    const { hookDirectories, settings, programs } = around(directory);
    if (hookDirectories.has(directory) && HOOK.test(posix.basename(path))) return reasonText('git-hook');
    if (programs.has(path)) return reasonText('git-program');
    return settings.has(path) ? 'the settings of git include it' : undefined;
  };
}

/** The directory itself and those that hold it, the outermost first. */
function wayTo(directory: string): string[] {
  const names = directory.split('/').filter((name) => name !== '');
  return names.map((_, index) => names.slice(0, index + 1).join('/'));
}

interface Obeyed {
  /** Absolute byte paths, each also as it is without links. */
  hookDirectories: Set<string>;
  settings: Set<string>;
  programs: Set<string>;
}

function obeyedBy(sources: readonly GitSettings[], userHome: string): Obeyed {
  const obeyed: Obeyed = { hookDirectories: new Set(), settings: new Set(), programs: new Set() };
  const home = toBytePath(userHome);
  for (const { setting, worktree, included } of withIncluded(sources, home)) {
    const hooks = settingValue(setting, /^core\.hookspath=/);
    if (hooks !== undefined) {
      const hooksAt = resolved(worktree, hooks, home);
      add(obeyed.hookDirectories, hooksAt);
      // Husky has git run small scripts that run those in the directory above.
      if (hooksAt.endsWith('/_')) add(obeyed.hookDirectories, posix.dirname(hooksAt));
    }
    if (included !== undefined) add(obeyed.settings, included);
    if (!STARTS_NOTHING.test(setting))
      for (const program of programsIn(setting, worktree, home)) add(obeyed.programs, program);
  }
  return obeyed;
}

interface OneSetting {
  /** `name=value`. */
  setting: string;
  worktree: string;
  /** Where the settings are that it includes. */
  included?: string;
}

/** What is not harmless in these settings and in all that they include. */
function* withIncluded(sources: readonly GitSettings[], home: string): Generator<OneSetting> {
  const seen = new Set<string>();
  const queue = [...sources];
  for (const { path, text, worktree } of queue) {
    for (const setting of riskySettings(joinLines(text))) {
      const include = settingValue(setting, /^include(?:if\..*)?\.path=/s);
      const included = include === undefined ? undefined : resolved(posix.dirname(path), include, home);
      yield { setting, worktree, included };
      if (included === undefined || seen.has(`${worktree}\0${included}`) || seen.size >= LARGEST_INCLUDES) continue;
      seen.add(`${worktree}\0${included}`);
      queue.push({ path: included, text: readText(included) ?? '', worktree });
    }
  }
}

function add(paths: Set<string>, path: string): void {
  paths.add(path);
  try {
    paths.add(realpathSync.native(toSystem(path), 'latin1'));
  } catch {
    // Nothing is there yet.
  }
}

/** What a command line of the settings names in the worktree: git runs it there. */
function programsIn(setting: string, worktree: string, home: string): string[] {
  const value = settingValue(setting, /^[^=]*=/s) ?? '';
  const words = value.split(/[\s"'`\\;|&()<>=]+/).filter((word) => word !== '' && !/^[-%$]/.test(word));
  return words.flatMap((word) => {
    const at = resolved(worktree, word, home);
    const kind = kindOf(at);
    // A name alone is a program of the system, unless the worktree has a file with it.
    return kind === 'file' || (kind === undefined && /[./]/.test(word)) ? [at] : [];
  });
}

/** A submodule's configuration lies elsewhere and says where its files are. */
function worktreeOf(directory: string, text: string): string {
  const named = /^\s*worktree\s*=\s*"?([^"\r\n]+?)"?\s*$/im.exec(text)?.[1];
  return named === undefined ? posix.dirname(directory) : posix.resolve(directory, toBytePath(named));
}

/** What git joins or passes over, so that the rest can be read. */
function joinLines(text: string): string {
  return text.replace(/\\\r?\n/g, ' ').replace(/[^\P{Cc}\t\n]/gu, '');
}

function settingValue(setting: string, name: RegExp): string | undefined {
  if (!name.test(setting)) return undefined;
  const value = setting.replace(name, '').replace(/\s+[#;].*$/, '');
  return value.replace(/^"(.*)"$/, '$1');
}

function resolved(directory: string, path: string, home: string): string {
  return posix.resolve(directory, toBytePath(path).replace(/^~(?=\/)/, home));
}

/** Undefined where nothing is. */
function kindOf(bytePath: string): 'file' | 'other' | undefined {
  try {
    const stats = statSync(toSystem(bytePath), { throwIfNoEntry: false });
    return stats && (stats.isFile() ? 'file' : 'other');
  } catch {
    return undefined;
  }
}
