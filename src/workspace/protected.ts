// Paths that no file tool may change, even with permission: files that Git, a shell or a login runs by itself with the
// user's rights, keys, and Lainclaw's own files. (permissions/sensitive-paths.ts lists the paths that need a permission.)
// The rules apply to resolved paths, existing or not. Names are compared as the most forgiving file system would:
// without case, compatibility forms, ignorable characters and trailing dots.
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { ProtectedPaths } from './workspace.ts';

interface Rule {
  reason: string;
  paths: string[];
}

/** Each path protects itself and everything below it, at any depth of the workspace. */
const ANYWHERE: Rule[] = [
  {
    reason: 'Git runs hooks and commands from there; use git itself, or change it by hand',
    paths: ['.git', 'git~1', '.gitconfig', '.gitmodules', '.config/git'],
  },
  {
    reason: 'a shell or the desktop runs it at its next start; change it by hand',
    paths: [
      '.profile .bashrc .bash_profile .bash_login .bash_logout .bash_aliases .zshrc .zprofile .zshenv .zlogin .zlogout',
      '.kshrc .mkshrc .cshrc .tcshrc .login .logout .xprofile .xinitrc .xsession .xsessionrc .pam_environment .envrc',
      '.config/fish .config/autostart .config/systemd .config/environment.d',
    ].flatMap((names) => names.split(' ')),
  },
  { reason: 'it holds keys and decides who may sign in; change it by hand', paths: ['.ssh', '.gnupg'] },
  { reason: 'it belongs to Lainclaw; use its own commands', paths: ['.lainclaw'] },
];

/** Protected only in the user's own home. */
const IN_USER_HOME: Rule = {
  reason: 'it is on your PATH or is read at login; change it by hand',
  paths: ['bin', '.local/bin', '.local/share/systemd', '.local/share/applications', '.inputrc'],
};

/** Git takes any directory with a HEAD, objects and refs for a repository, and obeys the rest of these there. */
const OF_REPOSITORY = new Set(
  'config config.worktree commondir hooks objects refs info modules worktrees packed-refs'.split(' '),
);
const MAKES_REPOSITORY =
  'with it git takes the directory for a repository and runs what is named there; use git itself, or change it by hand';

const NOT_PROTECTED = ['.git/info/exclude'];

export interface ProtectedPathsOptions {
  /** Lainclaw's home; only its `workspace` directory, the gateway's workspace, may be changed. */
  home: string;
  /** The user's home. */
  userHome: string;
}

export async function createProtectedPaths({ home, userHome }: ProtectedPathsOptions): Promise<ProtectedPaths> {
  const ours = folded(realPathOf(home));
  const users = folded(realPathOf(userHome));
  const free = `${ours}workspace/`;
  return (relative, absolute) => {
    const path = folded(relative);
    const whole = folded(absolute);
    if (whole.startsWith(ours) && !whole.startsWith(free)) return 'it belongs to Lainclaw; use its own commands';
    if (NOT_PROTECTED.some((name) => path.endsWith(`/${name}/`))) return undefined;
    if (IN_USER_HOME.paths.some((name) => whole.startsWith(`${users}${name}/`))) return IN_USER_HOME.reason;
    const found = ANYWHERE.find(({ paths }) => paths.some((name) => path.includes(`/${name}/`)));
    return found?.reason ?? (isOfRepository(relative, absolute) ? MAKES_REPOSITORY : undefined);
  };
}

/** True for a HEAD, and for what counts in a directory that has one. */
function isOfRepository(relative: string, absolute: string): boolean {
  const names = relative.split('/').filter((name) => name !== '');
  const root = absolute.slice(0, absolute.length - relative.length);
  return names.some((name, index) => {
    const directory = `${root}${names.slice(0, index).join('/')}`;
    const plain = folded(name).slice(1, -1);
    // Two writes at once must not make a repository of halves that are harmless: a HEAD is never written.
    if (plain === 'head' && index === names.length - 1) {
      return (
        name === 'HEAD' ||
        mayHave(directory, 'commondir') ||
        (mayHave(directory, 'objects') && mayHave(directory, 'refs'))
      );
    }
    return OF_REPOSITORY.has(plain) && mayHave(directory, 'HEAD');
  });
}

/** A directory whose name is not text cannot be looked at by name: it may have anything. */
function mayHave(directory: string, name: string): boolean {
  if (directory.includes('\uFFFD')) return true;
  try {
    return lstatSync(`${directory}/${name}`, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}

/** Comparable form between slashes, as `/a/b/`. */
function folded(path: string): string {
  const names = path.split('/').map((name) =>
    name
      .normalize('NFKC')
      .toLowerCase()
      .replace(/\p{Default_Ignorable_Code_Point}/gu, '')
      // NTFS: a stream of the file (`x::$DATA`), and dots and spaces that it drops.
      .replace(/:.*$/s, '')
      .replace(/(?<=.)[. ]+$/, ''),
  );
  return `/${names.filter((name) => name !== '').join('/')}/`;
}

/** The real path as far as it exists; the missing rest is appended. */
function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return dirname(path) === path ? path : join(realPathOf(dirname(path)), basename(path));
  }
}
