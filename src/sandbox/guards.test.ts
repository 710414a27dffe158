// Protected paths, tried from inside a sandbox with everything a shell has, and looked at from outside.
import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createTrial, type Trial, trialOptions, WAYS } from '../../test/support/sandbox-trial.ts';
import { type Leases, placeGuards, planPaths } from './guards.ts';
import { createLeaseNames } from './placeholders.ts';
import { protectedPaths } from './protected.ts';
import type { Finished, Sandbox } from './sandbox.ts';

describe.each(WAYS)('a sandbox %s', (_, open) => {
  let trial: Trial;
  let sandbox: Sandbox;
  beforeEach(() => {
    trial = createTrial();
    sandbox = open(trial);
  });
  afterEach(() => trial.remove());

  const run = (text: string, ...change: Parameters<typeof trialOptions>): Promise<Finished> =>
    sandbox.run(trial.script(text), trialOptions(...change));

  function makeRepository(): void {
    execFileSync('git', ['init', '-q', trial.workspace]);
    for (const [key, value] of [
      ['user.name', 'A'],
      ['user.email', 'a@b.c'],
    ] as const) {
      execFileSync('git', ['-C', trial.workspace, 'config', key, value]);
    }
  }

  /** Everything below, with types and contents. */
  function snapshot(path: string): string[] {
    const stats = lstatSync(path);
    if (stats.isDirectory())
      return [
        path,
        ...readdirSync(path)
          .sort()
          .flatMap((name) => snapshot(join(path, name))),
      ];
    return [`${path} ${stats.isSymbolicLink() ? 'link' : readFileSync(path, 'latin1')}`];
  }

  describe('paths that exist', () => {
    test('cannot be written, removed, renamed, replaced or linked', async () => {
      makeRepository();
      trial.write('workspace/.vscode/tasks.json', '{}');
      trial.write('workspace/.envrc', 'export A=1');
      const before = snapshot(trial.workspace);
      const attacks = ['.git/config', '.git/hooks', '.vscode', '.vscode/tasks.json', '.envrc'].flatMap((path) => [
        `echo evil >> ${path}`,
        `echo evil > ${path}/pre-commit`,
        `rm -rf ${path}`,
        `mv ${path} gone`,
        `mv -T fake ${path}`,
        `ln -f ${path} hard && echo evil >> hard`,
        `ln -sfn /tmp/evil ${path}`,
        `ln -s ${path} soft-$RANDOM && echo evil >> soft-*`,
        `cp --remove-destination fake ${path}`,
        `chmod 777 ${path}`,
        `truncate -s 0 ${path}`,
        `touch ${path}`,
        `sed -i s/./x/ ${path}`,
        `python3 -c 'import os; os.rename("fake", "${path}")'`,
        `python3 -c 'import os; os.link("${path}", "python-link"); open("python-link","a").write("evil")'`,
      ]);
      const text = `mkdir -p fake; echo evil > fake/x\n${attacks.map((attack) => `(${attack}) 2>/dev/null`).join('\n')}
      umount .git/hooks 2>/dev/null; mount --bind fake .git/hooks 2>/dev/null; rm -rf fake soft-* hard python-link gone; true`;
      expect((await run(text)).exitCode).toBe(0);
      expect(snapshot(trial.workspace)).toEqual(before);
    });

    test('cannot be got around by moving a directory on the way to them', async () => {
      makeRepository();
      const before = snapshot(trial.workspace);
      const text = `
      mv .git .git-old && mkdir .git .git/hooks && echo evil > .git/hooks/pre-commit
      mv -T .git moved; python3 -c 'import os; os.rename(".git", "other")'
      mkdir evil && mv -T evil .git; ln -sfT evil .git; rmdir .git; rm -rf evil
      cd .. && mv workspace elsewhere; true`;
      await run(text);
      expect(existsSync(trial.path('elsewhere'))).toBe(false);
      expect(snapshot(trial.workspace)).toEqual(before);
    });

    test('git works in the repository: add, commit, branch, checkout, stash, log', async () => {
      makeRepository();
      const { exitCode, stdout, stderr } = await run(`set -e
      echo one > a; git add a; git commit -qm one; git branch side; git checkout -q side; echo two > a; git stash -q
      git stash pop -q; git commit -qam two; git log --oneline | wc -l; git status --short; git gc -q; git fsck >/dev/null`);
      expect(stderr.text).toBe('');
      expect({ exitCode, text: stdout.text }).toEqual({ exitCode: 0, text: '2\n' });
      const seen = execFileSync('git', ['-C', trial.workspace, 'log', '--format=%s'], { encoding: 'utf8' });
      expect(seen).toBe('two\none\n');
      expect(existsSync(trial.path('workspace/.git/commondir'))).toBe(false);
      const refused = await run('git config core.fsmonitor ./evil; git remote add x y; ls .git');
      expect(refused.stderr.text).toMatch(/could not (write|lock) config file/);
      expect(readFileSync(trial.path('workspace/.git/config'), 'utf8')).not.toMatch(/evil|remote/);
    });

    test('git cannot be led to another config: commondir, a .git file, config.worktree', async () => {
      makeRepository();
      const text = `
      mkdir evil && cp -r .git/. evil/ && printf '[core]\\n\\tfsmonitor = touch ${trial.path('workspace/owned')}\\n' >> evil/config
      echo ../evil > .git/commondir; rm -f .git/commondir; mv evil/config .git/commondir; echo "gitdir: evil" > .git
      rm -rf .git/commondir.lainclaw; cp evil/config .git/config.worktree; true`;
      await run(text);
      execFileSync('git', ['-C', trial.workspace, 'status']);
      expect(existsSync(trial.path('workspace/owned'))).toBe(false);
      expect(readdirSync(trial.path('workspace/.git')).filter((name) => /commondir|worktree/.test(name))).toEqual([]);
    });

    test('a .git file, as in a worktree, is protected as a whole', async () => {
      trial.write('workspace/.git', 'gitdir: /somewhere/else\n');
      await run('echo "gitdir: evil" > .git; rm -f .git; mv .git x; mkdir -p .git/hooks; true');
      expect(readFileSync(trial.path('workspace/.git'), 'utf8')).toBe('gitdir: /somewhere/else\n');
    });
  });

  describe('paths that do not exist', () => {
    const names = ['.git', '.git/hooks', '.lainclaw', '.vscode', '.idea', '.envrc', '.mcp.json', '.claude', '.cursor'];

    test('cannot be made, and nothing of them is left', async () => {
      const attacks = names.flatMap((name) => [
        `mkdir -p ${name} && echo evil > ${name}/evil`,
        `echo evil > ${name}`,
        `rm -rf ${name}; rmdir ${name}; mkdir ${name}; echo evil > ${name}/config`,
        `mv -T fake ${name}; mv ${name} away; cp -r fake ${name}; ln -s fake ${name}; ln -sfn fake ${name}`,
        `chmod 777 ${name}; mkdir ${name}/hooks; echo evil > ${name}/hooks/pre-commit`,
        `python3 -c 'import os; os.rename("fake", "${name}")'`,
      ]);
      const text = `mkdir fake; echo evil > fake/evil\n${attacks.map((attack) => `(${attack}) 2>/dev/null`).join('\n')}\nrm -rf fake away; true`;
      expect((await run(text)).exitCode).toBe(0);
      expect(readdirSync(trial.workspace)).toEqual([]);
    });

    test('git init in the workspace is refused, below it works', async () => {
      const finished = await run('git init . ; git init -q below && ls below/.git/config');
      expect(finished.stderr.text).toMatch(/\.git.*(Permission denied|Read-only|cannot)/);
      expect(finished.stdout.text).toContain('below/.git/config');
      expect(readdirSync(trial.workspace)).toEqual(['below']);
    });

    test('a repository above is still found past the placeholder', async () => {
      execFileSync('git', ['init', '-q', trial.root]);
      const command = trial.script(
        'GIT_DISCOVERY_ACROSS_FILESYSTEM=1 git rev-parse --show-toplevel',
        {},
        { readOnly: [trial.path('.git')] },
      );
      expect((await sandbox.run(command, trialOptions())).stdout.text).toBe(`${trial.root}\n`);
    });

    test('they are invisible to git outside while it lasts, and gone after a cancellation', async () => {
      makeRepository();
      rmSync(trial.path('workspace/.git/hooks'), { recursive: true });
      const controller = new AbortController();
      const running = run('touch begun; sleep 300', { signal: controller.signal });
      while (!existsSync(trial.path('workspace/begun'))) await sleep(5);
      const status = execFileSync('git', ['-C', trial.workspace, 'status', '--short'], { encoding: 'utf8' });
      controller.abort();
      await running;
      expect(status).toBe('?? begun\n');
      expect(readdirSync(trial.workspace)).toEqual(['.git', 'begun']);
      expect(existsSync(trial.path('workspace/.git/hooks'))).toBe(false);
    });

    test('what a person puts there meanwhile is kept', async () => {
      const running = run(
        'touch begun; while [ ! -e go ]; do sleep 0.02; done; rm begun go; cat .vscode/settings.json',
      );
      while (!existsSync(trial.path('workspace/begun'))) await sleep(5);
      writeFileSync(trial.path('workspace/.vscode/settings.json'), 'mine');
      writeFileSync(trial.path('workspace/go'), '');
      expect((await running).stdout.text).toBe('');
      expect(snapshot(trial.workspace)).toEqual([
        trial.workspace,
        trial.path('workspace/.vscode'),
        `${trial.path('workspace/.vscode/settings.json')} mine`,
      ]);
    });

    test('a run that ends does not take the protection of another that continues', async () => {
      makeRepository();
      const until = (name: string): string => `while [ ! -e ${name} ]; do sleep 0.02; done; rm ${name}`;
      const appears = async (name: string): Promise<void> => {
        while (!existsSync(trial.path('workspace', name))) await sleep(5);
      };
      const first = run(`touch begun-1; ${until('go-1')}`);
      await appears('begun-1');
      const attack = 'mkdir -p .vscode && echo evil > .vscode/tasks.json; echo ../evil > .git/commondir';
      const second = run(`touch begun-2; ${until('go-2')}; ${attack}; rm begun-*; ls -Ad .vscode`);
      await appears('begun-2');
      for (let count = 0; count < 3; count += 1) await run('rm -rf .git/commondir.lainclaw .vscode/.lainclaw*; true');
      trial.write('workspace/go-1', '');
      await first;
      expect(existsSync(trial.path('workspace/.vscode'))).toBe(true);
      trial.write('workspace/go-2', '');
      expect((await second).stdout.text).toBe('.vscode\n');
      expect(readdirSync(trial.workspace)).toEqual(['.git']);
      expect(readdirSync(trial.path('workspace/.git')).filter((name) => name.startsWith('commondir'))).toEqual([]);
    });

    test('what a killed process left behind is swept by the next run', async () => {
      makeRepository();
      for (const name of ['.vscode', '.envrc', '.git/commondir.lainclaw']) {
        mkdirSync(trial.path('workspace', name, '.lainclaw-999999999-1-lease-x'), { recursive: true });
      }
      trial.write('workspace/.git/commondir', '.\n');
      await run('true');
      expect(readdirSync(trial.workspace)).toEqual(['.git']);
      expect(readdirSync(trial.path('workspace/.git')).filter((name) => name.startsWith('commondir'))).toEqual([]);
    });
  });

  describe('links', () => {
    test('a protected path that leads through a link is refused, and nothing is made behind it', async () => {
      mkdirSync(trial.path('outside/git'));
      for (const [link, target] of [
        ['.git', 'outside/git'],
        ['.vscode', 'outside/git'],
        ['.envrc', 'outside/nothing'],
      ] as const) {
        symlinkSync(trial.path(target), trial.path('workspace', link));
        await expect(run('true')).rejects.toMatchObject({
          code: 'invalid-profile',
          message: expect.stringContaining(link),
        });
        rmSync(trial.path('workspace', link));
      }
      expect(readdirSync(trial.path('outside/git'))).toEqual([]);
      expect(existsSync(trial.path('outside/nothing'))).toBe(false);
      expect(readdirSync(trial.workspace)).toEqual([]);
    });

    test('a workspace that is itself reached through a link is protected all the same', async () => {
      symlinkSync(trial.workspace, trial.path('link'));
      const places = { workspace: trial.path('link'), userHome: trial.home, lainclawHome: trial.lainclawHome };
      const profile = {
        workspace: { path: trial.path('link'), access: 'read-write' as const },
        protect: protectedPaths(places),
      };
      const command = trial.script(
        'mkdir .git .git/hooks; echo fine > file; pwd',
        { cwd: trial.path('link') },
        profile,
      );
      expect((await sandbox.run(command, trialOptions())).stdout.text).toBe(`${trial.workspace}\n`);
      expect(readdirSync(trial.workspace)).toEqual(['file']);
    });

    test('a home that is reached through a link is known as one', () => {
      symlinkSync(trial.home, trial.path('link'));
      const lainclawHome = trial.path('link/not/yet');
      const paths = protectedPaths({ workspace: trial.home, userHome: trial.path('link'), lainclawHome });
      expect(paths).toContain(trial.path('home/.bashrc'));
      expect(paths).toContain(trial.path('home/not/yet'));
    });
  });

  describe('a home as workspace', () => {
    test('shell start-up files and Lainclaw’s home cannot be written, present or not', async () => {
      trial.write('home/.bashrc', '# mine');
      trial.write('home/.lainclaw/config.json', '{}');
      mkdirSync(trial.path('home/.config'));
      const places = { workspace: trial.home, userHome: trial.home, lainclawHome: trial.path('home/.lainclaw') };
      const profile = {
        workspace: { path: trial.home, access: 'read-write' as const },
        protect: protectedPaths(places),
      };
      const names = [
        '.bashrc',
        '.profile',
        '.zshrc',
        '.config/fish',
        '.config/autostart',
        '.lainclaw',
        '.ssh',
        '.gitconfig',
      ];
      const text = `${names.map((name) => `(echo evil >> ${name}; mkdir -p ${name} && echo evil > ${name}/evil; mv ${name} x) 2>/dev/null`).join('\n')}
      mv .config c2; mkdir -p .config/fish; rm -rf x; echo fine > fine`;
      await sandbox.run(trial.script(text, { cwd: trial.home }, profile), trialOptions());
      expect(snapshot(trial.home)).toEqual([
        trial.home,
        `${trial.path('home/.bashrc')} # mine`,
        trial.path('home/.config'),
        trial.path('home/.lainclaw'),
        `${trial.path('home/.lainclaw/config.json')} {}`,
        `${trial.path('home/fine')} fine\n`,
      ]);
    });
  });

  test('a guard below something hidden does not bring it back', async () => {
    trial.write('workspace/.lainclaw/keys/secret', 'KEY');
    const bubblewrap = trial.bubblewrap({ hide: [trial.path('workspace/.lainclaw')] });
    const command = trial.script(
      'cat .lainclaw/keys/secret',
      {},
      { protect: [trial.path('workspace/.lainclaw/keys/secret')] },
    );
    expect((await bubblewrap.run(command, trialOptions())).stdout.text).toBe('');
  });

  test.each(['read-write', 'read-only'] as const)('what is hidden is not there in a %s workspace', async (access) => {
    trial.write('workspace/a/b/secret/key', 'HIDDEN');
    trial.write('workspace/a/b/key.pem', 'HIDDEN');
    trial.write('workspace/a/open', 'open\n');
    const command = trial.script(
      `cat a/open a/b/secret/* a/b/key.pem; mv a moved; mv a/b moved; mv a/b/secret moved; rm -rf a/b/secret a/b/key.pem
     touch a/new a/b/new; find . -type f -exec cat {} +; ls a/b`,
      {},
      {
        workspace: { path: trial.workspace, access },
        hide: ['a/b/secret', 'a/b/key.pem', 'a/gone/already'].map((path) => trial.path('workspace', path)),
      },
    );
    const { stdout } = await sandbox.run(command, trialOptions());
    expect(stdout.text).not.toContain('HIDDEN');
    expect(stdout.text).toContain('open\n');
    expect(readFileSync(trial.path('workspace/a/b/secret/key'), 'utf8')).toBe('HIDDEN');
    expect(readFileSync(trial.path('workspace/a/b/key.pem'), 'utf8')).toBe('HIDDEN');
    expect(existsSync(trial.path('workspace/a/b/new'))).toBe(access === 'read-write');
    expect(existsSync(trial.path('workspace/a/gone'))).toBe(false);
  });

  test('guards in a directory that cannot be written are not needed', async () => {
    const leases: Leases = { newLease: createLeaseNames(String), inWorkspaces: new Set() };
    const guards = await placeGuards(
      planPaths({ root: '/sys', isWritable: true, protect: ['/sys/nothing/here'] }),
      leases,
    );
    expect(guards.mounts).toEqual([]);
    await guards.release();
    const plan = planPaths({ root: trial.workspace, isWritable: true, protect: [trial.path('workspace/a/b')] });
    const made = await placeGuards(plan, leases);
    expect(made.mounts).toEqual([{ path: trial.path('workspace/a'), access: 'empty', isDirectory: true }]);
    await made.release();
    expect(readdirSync(trial.workspace)).toEqual([]);
  });
});
