import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { testHome } from '../../../test/support/test-home.ts';
import { guardedEnvironment } from '../permissions/guarded-environment.ts';
import { replaceDrivers, withoutGitDrivers } from './git-drivers.ts';

const READERS = 'git diff; git status; git log -p -1; git show HEAD; git blame a.txt; git diff HEAD; git stash list';
let root: string;
let mark: string;
const environment = { PATH: process.env.PATH ?? '', HOME: '/nonexistent' };

beforeEach(() => {
  const home = testHome();
  root = home.workspace;
  mark = join(home.base, 'mark');
  mkdirSync(root, { recursive: true });
  const git = (...words: string[]): void =>
    void execFileSync('git', ['-c', 'user.name=a', '-c', 'user.email=a@example.com', ...words], {
      cwd: root,
      stdio: 'ignore',
    });
  git('init', '-q');
  writeFileSync(join(root, 'a.txt'), 'one\n');
  writeFileSync(join(root, '.gitattributes'), '*.txt diff=Some.Name filter=other\n');
  git('add', '-A');
  git('commit', '-qm', 'one');
  writeFileSync(join(root, 'a.txt'), 'two\n');
});

async function run(command: string): Promise<string> {
  const guard = { readOnly: true, workspaceRoot: root };
  const signal = new AbortController().signal;
  const plain = guardedEnvironment(environment, guard);
  const gitSettings = await withoutGitDrivers({ workspaceRoot: root, environment: plain, nested: true, signal });
  const env = guardedEnvironment(environment, { ...guard, gitSettings });
  return spawnSync('/bin/bash', ['-c', command], { cwd: root, env, encoding: 'utf8' }).stdout;
}

describe('git that runs unasked', () => {
  it.each([
    'diff.external',
    'diff.Some.Name.command',
    'diff.Some.Name.textconv',
    'filter.other.clean',
    'filter.other.process',
  ])('starts no program of %s, also without a sandbox, and still shows what changed', async (key) => {
    execFileSync('git', ['config', key, `touch ${mark}; cat`], { cwd: root });
    if (key.startsWith('filter')) execFileSync('git', ['config', 'filter.other.required', 'true'], { cwd: root });
    const shown = await run(READERS);
    expect(existsSync(mark)).toBe(false);
    expect(shown).toMatch(/^-one$/m);
    expect(shown).toMatch(/^\+two$/m);
    rmSync(mark, { force: true });
    spawnSync('/bin/bash', ['-c', READERS], { cwd: root, env: environment });
    expect(existsSync(mark), 'the trap would have worked without it').toBe(true);
  });

  it('starts no program of a submodule either', async () => {
    const git = (...words: string[]): void =>
      void execFileSync(
        'git',
        ['-c', 'user.name=a', '-c', 'user.email=a@example.com', '-c', 'protocol.file.allow=always', ...words],
        { cwd: root, stdio: 'ignore' },
      );
    git('clone', '-q', root, join(root, '../source'));
    git('submodule', 'add', '-q', join(root, '../source'), 'lib');
    git('commit', '-qam', 'with lib');
    writeFileSync(join(root, 'lib/.gitattributes'), '*.txt diff=inner filter=inner\n');
    writeFileSync(join(root, 'drivers'), `[diff "inner"]\n\ttextconv = touch ${mark}; cat\n`);
    git('-C', 'lib', 'config', 'filter.inner.clean', `touch ${mark}; cat`);
    git('-C', 'lib', 'config', 'include.path', join(root, 'drivers'));
    const readers = 'git status; git diff; git diff --submodule=diff; git log -p --submodule=diff';
    writeFileSync(join(root, 'lib/a.txt'), 'two\n');
    expect(await run(readers)).toContain('lib');
    expect(existsSync(mark)).toBe(false);
    spawnSync('/bin/bash', ['-c', readers], { cwd: root, env: environment });
    expect(existsSync(mark), 'the trap would have worked without it').toBe(true);
  });

  it('is as it was where nothing is configured', () => {
    expect(replaceDrivers(['diff.renames', 'diff.algorithm', ''])).toEqual([]);
  });
});
