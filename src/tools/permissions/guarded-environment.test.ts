import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { guardedEnvironment } from './guarded-environment.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'lainclaw-environment-'));
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

function run(command: string, environment: Record<string, string>): void {
  const env = guardedEnvironment({ PATH: '/usr/bin:/bin', ...environment }, { readOnly: true, workspaceRoot: root });
  spawnSync('/bin/bash', ['--noprofile', '--norc', '-c', command], { cwd: root, env });
}

describe('the environment of a read-only command', () => {
  it('has no start-up file, function, option or separator that bash would obey', () => {
    const mark = join(root, 'mark');
    writeFileSync(join(root, 'evil.sh'), `touch ${mark}`);
    run('ls', { BASH_ENV: join(root, 'evil.sh') });
    run('ls', { 'BASH_FUNC_ls%%': `() { touch ${mark}; }` });
    run('ls', { SHELLOPTS: 'xtrace', PS4: `$(touch ${mark})` });
    run('cd sub; ls', { CDPATH: '/etc' });
    expect(existsSync(mark)).toBe(false);
  });

  it('takes no program from the workspace', () => {
    const mark = join(root, 'mark');
    mkdirSync(join(root, 'node_modules/.bin'), { recursive: true });
    writeFileSync(join(root, 'node_modules/.bin/ls'), `#!/bin/sh\ntouch ${mark}\n`);
    writeFileSync(join(root, 'cat'), `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(join(root, 'node_modules/.bin/ls'), 0o755);
    chmodSync(join(root, 'cat'), 0o755);
    run('ls; cat x', { PATH: `${root}/node_modules/.bin:.::${root}:/usr/bin:/bin` });
    expect(existsSync(mark)).toBe(false);
  });

  it('lets the configuration of a repository start nothing when git reads', () => {
    const mark = join(root, 'mark');
    const evil = join(root, 'evil');
    writeFileSync(evil, `#!/bin/sh\ntouch ${mark}\n`);
    chmodSync(evil, 0o755);
    const git = (...words: string[]): void => void execFileSync('git', words, { cwd: root, stdio: 'ignore' });
    git('init', '-q');
    git('config', 'core.fsmonitor', evil);
    git('config', 'core.pager', evil);
    mkdirSync(join(root, '.git/hooks'), { recursive: true });
    writeFileSync(join(root, '.git/hooks/post-index-change'), `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    run('git status; git diff; git log; git ls-files', {});
    expect(existsSync(mark)).toBe(false);
    spawnSync('git', ['status'], { cwd: root });
    expect(existsSync(mark), 'the trap would have worked without it').toBe(true);
  });

  it('lets an embedded bare repository start nothing', () => {
    const mark = join(root, 'mark');
    const evil = join(root, 'evil');
    writeFileSync(evil, `#!/bin/sh\ntouch ${mark}\n`, { mode: 0o755 });
    execFileSync('git', ['init', '-q', '--bare', 'trap'], { cwd: root, stdio: 'ignore' });
    const config = ['core.bare=false', 'core.worktree=.', `core.fsmonitor=${evil}`];
    for (const [key = '', value = ''] of config.map((entry) => entry.split('=')))
      execFileSync('git', ['config', '--file', 'trap/config', key, value], { cwd: root, stdio: 'ignore' });
    run('cd trap && git status', {});
    expect(existsSync(mark)).toBe(false);
    spawnSync('git', ['status'], { cwd: join(root, 'trap') });
    expect(existsSync(mark), 'the trap would have worked without it').toBe(true);
  });

  it('keeps the rest, and a command that was approved keeps its own', () => {
    const given = {
      PATH: '/usr/bin',
      HOME: '/home/u',
      GIT_AUTHOR_NAME: 'A',
      GIT_DIR: '/x',
      BASH_ENV: '/x',
      FOO: 'bar',
      GONE: undefined,
    };
    const quiet = guardedEnvironment(given, { readOnly: true, workspaceRoot: root });
    expect(quiet).toMatchObject({
      PATH: '/usr/bin',
      HOME: '/home/u',
      GIT_AUTHOR_NAME: 'A',
      FOO: 'bar',
      GIT_OPTIONAL_LOCKS: '0',
    });
    expect(quiet).not.toHaveProperty('GIT_DIR');
    const approved = guardedEnvironment(given, { readOnly: false, workspaceRoot: root });
    expect(approved).toEqual({ PATH: '/usr/bin', HOME: '/home/u', GIT_AUTHOR_NAME: 'A', GIT_DIR: '/x', FOO: 'bar' });
  });
});
