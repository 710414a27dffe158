// Files of the workspace that the person's own settings have git obey: a directory of hooks, and included settings.
import { readdirSync } from 'node:fs';
import { posix } from 'node:path';
import { toBytePath } from '../byte-path.ts';
import { entryState, type GitEntry, splitPath, textOf } from './git-entries.ts';
import { inDirectory } from './in-directory.ts';
import { riskySettings } from './risky-settings.ts';

/** Names that git, or husky for it, runs; such a directory may hold other scripts of the person's. */
const HOOK =
  /^(?:(?:pre|post|p4)-.+|(?:prepare-)?commit-msg|applypatch-msg|update|push-to-checkout|reference-transaction|proc-receive|sendemail-validate|fsmonitor-watchman|h|husky\.sh|common\.sh)$/;

export interface NamedFiles {
  /** Byte paths relative to the root. */
  hookDirectories: ReadonlySet<string>;
  settings: ReadonlySet<string>;
}

/** `entries`: of the repositories before a command, so that nothing is named by the command itself. */
export function namedFiles(root: string, entries: readonly GitEntry[]): NamedFiles {
  const hookDirectories = new Set<string>();
  const included = new Set<string>();
  function read(path: string, text: string, worktree: string): void {
    const [directory] = splitPath(path);
    for (const setting of riskySettings(text)) {
      const hooks = settingValue(setting, /^core\.hookspath=/);
      const hooksAt = hooks && insidePath(root, worktree, hooks);
      if (hooksAt) hookDirectories.add(hooksAt);
      // Husky has git run small scripts that run those in the directory above.
      if (hooksAt?.endsWith('/_')) hookDirectories.add(splitPath(hooksAt)[0]);
      const include = settingValue(setting, /^include(?:if\..*)?\.path=/s);
      const settingsAt = include && insidePath(root, directory, include);
      if (!settingsAt || included.has(settingsAt)) continue;
      included.add(settingsAt);
      read(settingsAt, textOf(entryState(root, settingsAt)), worktree);
    }
  }
  for (const { role, path, state } of entries) {
    if (role === 'settings') read(path, textOf(state), splitPath(splitPath(path)[0])[0]);
  }
  return { hookDirectories, settings: included };
}

/** As they are now. */
export function entriesOfNamed(root: string, { hookDirectories, settings }: NamedFiles): GitEntry[] {
  const hooks = [...hookDirectories].flatMap((directory) => {
    const names = inDirectory(root, directory, (address) => readdirSync(address, 'latin1')) ?? [];
    return names.filter((name) => HOOK.test(name)).map((name) => `${directory}/${name}`);
  });
  return [
    ...hooks.map((path): GitEntry => ({ role: 'hook', path, state: entryState(root, path) })),
    ...[...settings].map((path): GitEntry => ({ role: 'settings', path, state: entryState(root, path) })),
  ];
}

function settingValue(setting: string, name: RegExp): string | undefined {
  if (!name.test(setting)) return undefined;
  const value = setting.replace(name, '').replace(/\s+[#;].*$/, '');
  return value.replace(/^"(.*)"$/, '$1');
}

/** Undefined for the root itself and outside it: no command of the sandbox writes there. */
function insidePath(root: string, directory: string, path: string): string | undefined {
  const base = toBytePath(root);
  const whole = posix.resolve(base, directory, toBytePath(path));
  return whole.startsWith(`${base}/`) ? whole.slice(base.length + 1) : undefined;
}
