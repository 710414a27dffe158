// What a person does on the host after a command: git in every directory of the workspace. Plants of the corpus touch a canary when they run.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type GitPlant, PLANT_FUNCTIONS } from '../corpora/git-plants.ts';
import type { Home } from './home.ts';

export const canaryOf = (home: Home): string => join(home.path, 'canary');

/** Outside the sandbox. */
export function shellOnHost(home: Home, script: string): void {
  mkdirSync(home.path, { recursive: true });
  const env = {
    PATH: process.env.PATH,
    HOME: home.path,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CEILING_DIRECTORIES: home.workspace,
  };
  execFileSync('/bin/bash', ['-c', script], { cwd: home.workspace, env, stdio: 'ignore', timeout: 60_000 });
}

export const plantScript = (home: Home, text: string): string =>
  `CANARY='${canaryOf(home)}'\n${PLANT_FUNCTIONS}\n${text}`;

/** What a person does next, in every directory. True when anything that was planted ran. */
export function gitRunsIt(home: Home): boolean {
  const everywhere = `find . -type d -not -path '*/objects/*' -not -path '*/refs/*' -print0 |
    while IFS= read -r -d '' d; do (cd "$d" && { timeout 10 git status; timeout 10 git diff; timeout 10 git log -1; }); done; true`;
  rmSync(canaryOf(home), { force: true });
  shellOnHost(home, everywhere);
  return existsSync(canaryOf(home));
}

/** The same home; its workspace has what the person had before the plant. */
export function prepareHome(home: Home, { person }: Pick<GitPlant, 'person'>): Home {
  mkdirSync(home.workspace, { recursive: true });
  if (person) shellOnHost(home, plantScript(home, person));
  return home;
}
