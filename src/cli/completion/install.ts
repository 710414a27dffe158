// Makes completion last: a line at the end of the shell's start-up file, or fish's own file. What is there already stays.
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Environment } from '../../config/environment.ts';
import { SCRIPTS, SHELLS, type Shell } from './scripts.ts';

export interface InstalledCompletion {
  shell: Shell;
  path: string;
  /** False: it was there before. */
  changed: boolean;
}

/** The shell of `$SHELL`, where there is a completion for it. */
export function shellOf({ variables }: Environment): Shell | undefined {
  const name = basename(variables.SHELL ?? '');
  return SHELLS.find((shell) => shell === name);
}

export function completionPath(shell: Shell, { userHome, variables }: Environment): string {
  if (shell === 'bash') return join(userHome, '.bashrc');
  if (shell === 'zsh') return join(variables.ZDOTDIR || userHome, '.zshrc');
  return join(variables.XDG_CONFIG_HOME || join(userHome, '.config'), 'fish', 'completions', 'lainclaw.fish');
}

/** Rejects with the system's own error where the file cannot be written. */
export async function installCompletion(shell: Shell, environment: Environment): Promise<InstalledCompletion> {
  const path = completionPath(shell, environment);
  const before = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return '';
    throw error;
  });
  if (before.includes(`lainclaw completion ${shell}`)) return { shell, path, changed: false };
  if (shell === 'fish') {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, SCRIPTS.fish);
    return { shell, path, changed: true };
  }
  // Appended, not replaced: the file may be a link into a repository of dotfiles.
  const start = before === '' || before.endsWith('\n') ? '' : '\n';
  await appendFile(path, `${start}# Completion of lainclaw\n${lineFor(shell)}\n`);
  return { shell, path, changed: true };
}

/** Says nothing in a shell that does not find the program. */
function lineFor(shell: 'bash' | 'zsh'): string {
  return `command -v lainclaw >/dev/null && source <(lainclaw completion ${shell})`;
}
