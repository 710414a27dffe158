// Paths that a command must not write even in a writable workspace: files that make other programs run something later,
// outside the sandbox.
import { join } from 'node:path';
import { isInside, realPathSoFar } from './path-inside.ts';

const IN_WORKSPACE: readonly (readonly [path: string, reason: string])[] = [
  ['.git/hooks', 'git runs them'],
  ['.git/config', 'names programs that git runs (fsmonitor, pager, filters) and where hooks are'],
  ['.git/config.worktree', 'the same'],
  ['.git/commondir', 'leads git to another config and other hooks'],
  ['.lainclaw', 'settings and skills of Lainclaw'],
  ['.vscode', 'tasks and settings that an editor runs'],
  ['.idea', 'tasks and settings that an editor runs'],
  ['.envrc', 'direnv runs it'],
  ['.mcp.json', 'names servers that agents start'],
  ['.claude', 'hooks that another agent runs'],
  ['.cursor', 'servers that another agent starts'],
];

const IN_HOME: readonly (readonly [path: string, reason: string])[] = [
  ['.bashrc', 'a shell runs it'],
  ['.bash_profile', 'a shell runs it'],
  ['.bash_login', 'a shell runs it'],
  ['.bash_logout', 'a shell runs it'],
  ['.bash_aliases', 'a shell runs it'],
  ['.profile', 'a shell runs it'],
  ['.zshrc', 'a shell runs it'],
  ['.zshenv', 'a shell runs it'],
  ['.zprofile', 'a shell runs it'],
  ['.zlogin', 'a shell runs it'],
  ['.zlogout', 'a shell runs it'],
  ['.config/fish', 'a shell runs it'],
  ['.kshrc', 'a shell runs it'],
  ['.inputrc', 'binds keys to commands'],
  ['.xprofile', 'run at login'],
  ['.xsessionrc', 'run at login'],
  ['.pam_environment', 'read at login'],
  ['.config/environment.d', 'read at login'],
  ['.config/autostart', 'run at login'],
  ['.config/systemd', 'services run at login'],
  ['.local/share/systemd', 'services run at login'],
  ['.local/share/applications', 'decides what opening a file runs'],
  ['.local/bin', 'is early on PATH'],
  ['bin', 'is early on PATH'],
  ['.gitconfig', 'names programs that git runs'],
  ['.config/git', 'names programs that git runs'],
  ['.ssh', 'names programs that ssh runs, and who may log in'],
  ['.gnupg', 'names programs that gpg runs'],
  ['.npmrc', 'names where packages come from'],
  ['.vimrc', 'an editor runs it'],
  ['.config/nvim', 'an editor runs it'],
  ['.emacs', 'an editor runs it'],
  ['.emacs.d', 'an editor runs it'],
  ['.tmux.conf', 'names programs that tmux runs'],
];

export interface ProtectedPlaces {
  workspace: string;
  userHome: string;
  lainclawHome: string;
}

/** Paths for `Profile.protect`. */
export function protectedPaths(places: ProtectedPlaces): string[] {
  const [workspace, userHome, lainclawHome] = [places.workspace, places.userHome, places.lainclawHome].map(
    realPathSoFar,
  ) as [string, string, string];
  const inWorkspace = IN_WORKSPACE.map(([path]) => join(workspace, path));
  const inHome = isInside(workspace, userHome) ? IN_HOME.map(([path]) => join(userHome, path)) : [];
  return [...new Set([...inWorkspace, ...inHome, lainclawHome])];
}
