// What no file tool may change, whoever permits it: what Git, a shell or a login runs by itself with the user's rights,
// keys, and Lainclaw's own files. (What a person may permit, permissions/sensitive-paths.ts asks about.) Looked up for
// resolved paths, also of what does not exist yet. Names are compared as the most forgiving file system would: without
// case, compatibility forms, ignorable characters and trailing dots.
import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { ProtectedPaths } from './workspace.ts';

interface Rule {
  reason: string;
  paths: string[];
}

/** Each name, or run of names, protects itself and everything beneath it, at any depth. */
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

/** Only in the user's own home, where it counts. */
const IN_USER_HOME: Rule = {
  reason: 'it stands on your PATH or is obeyed at login; change it by hand',
  paths: ['bin', '.local/bin', '.local/share/systemd', '.local/share/applications', '.inputrc'],
};

const NOT_PROTECTED = ['.git/info/exclude'];

export interface ProtectedPathsOptions {
  /** Lainclaw's home; its `workspace` directory is where the gateway's agent may work. */
  home: string;
  /** The user's. */
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

/** Between slashes, as `/a/b/`. */
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

/** Of a path that need not exist: real as far as it does. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch {
    return dirname(path) === path ? path : join(await realPathOf(dirname(path)), basename(path));
  }
}
