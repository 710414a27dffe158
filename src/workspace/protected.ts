// Paths that no file tool may change, even with permission: files that Git, a shell or a login runs by itself with the
// user's rights, keys, and Lainclaw's own files. (permissions/sensitive-paths.ts lists the paths that need a permission.)
// The rules apply to resolved paths, existing or not. Names are compared as the most forgiving file system would:
// without case, compatibility forms, ignorable characters and trailing dots.
import { realpath } from 'node:fs/promises';
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

const NOT_PROTECTED = ['.git/info/exclude'];

export interface ProtectedPathsOptions {
  /** Lainclaw's home; only its `workspace` directory, the gateway's workspace, may be changed. */
  home: string;
  /** The user's home. */
  userHome: string;
}

export async function createProtectedPaths({ home, userHome }: ProtectedPathsOptions): Promise<ProtectedPaths> {
  const ours = folded(await realPathOf(home));
  const users = folded(await realPathOf(userHome));
  const free = `${ours}workspace/`;
  return (relative, absolute) => {
    const path = folded(relative);
    const whole = folded(absolute);
    if (whole.startsWith(ours) && !whole.startsWith(free)) return 'it belongs to Lainclaw; use its own commands';
    if (NOT_PROTECTED.some((name) => path.endsWith(`/${name}/`))) return undefined;
    if (IN_USER_HOME.paths.some((name) => whole.startsWith(`${users}${name}/`))) return IN_USER_HOME.reason;
    return ANYWHERE.find(({ paths }) => paths.some((name) => path.includes(`/${name}/`)))?.reason;
  };
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
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return dirname(path) === path ? path : join(await realPathOf(dirname(path)), basename(path));
  }
}
