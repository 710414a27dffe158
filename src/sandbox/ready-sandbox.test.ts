// A sandbox that was prepared is used only where it is what the command needs, and leaves nothing behind where it is not.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  closeSync,
  existsSync,
  linkSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { createTrial, processesWith, type Trial, trialOptions } from '../../test/support/sandbox-trial.ts';
import { readStat } from './end-tree.ts';
import { protectedPaths } from './protected.ts';
import type { Finished, Profile, Sandbox } from './sandbox.ts';

let trial: Trial;
let sandbox: Sandbox;
beforeEach(() => {
  trial = createTrial();
  sandbox = trial.bubblewrap();
});
afterEach(async () => {
  for (const descriptor of held.splice(0)) closeSync(descriptor);
  await sandbox.close?.();
  expect(descendants()).toEqual([]);
  expect(readdirSync(trial.temporary)).toEqual([]);
  if (existsSync(trial.path('lainclaw/sandbox'))) expect(readdirSync(trial.path('lainclaw/sandbox'))).toEqual([]);
  trial.remove();
});

const prepare = async (profile: Partial<Profile> = {}): Promise<void> =>
  sandbox.prepare?.(trial.script('true', {}, profile));
const run = (text: string, profile: Partial<Profile> = {}): Promise<Finished> =>
  sandbox.run(trial.script(text, {}, profile), trialOptions());

/** Open namespaces: the kernel gives their names to no others. */
const held: number[] = [];

/** The mount namespaces of the sandboxes that run or wait. */
function namespaces(): string[] {
  return sandboxes().map((first) => {
    held.push(openSync(`/proc/${first}/ns/mnt`, 'r'));
    return readlinkSync(`/proc/${first}/ns/mnt`);
  });
}

/** The first processes of sandboxes that this process started. */
function sandboxes(): number[] {
  return descendants().filter((pid) => {
    try {
      return /^NSpid:.*\s1$/m.test(readFileSync(`/proc/${pid}/status`, 'latin1'));
    } catch {
      return false; // It has just ended.
    }
  });
}

function descendants(parent = process.pid): number[] {
  const children = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && readStat(pid)?.parent === parent && readStat(pid)?.state !== 'Z');
  return children.flatMap((pid) => [pid, ...descendants(pid)]);
}

function makeRepository(): void {
  execFileSync('git', ['init', '-q', trial.workspace]);
}

test.each(['started for its command', 'prepared'])(
  'a sandbox that was %s knows what it keeps in the workspace',
  async (way) => {
    if (way === 'prepared') await prepare();
    const { promise, resolve } = Promise.withResolvers<void>();
    const running = sandbox.run(
      trial.script('until [ -e go ]; do sleep 0.02; done'),
      trialOptions({ onStarted: () => resolve() }),
    );
    await promise;
    const leases = readdirSync(trial.path('workspace/.vscode')).map((name) => trial.path('workspace/.vscode', name));
    expect(leases).toHaveLength(1);
    expect(leases.map((path) => sandbox.isOwn?.(path))).toEqual([true]);
    for (const path of ['workspace/.vscode', 'workspace/go']) expect(sandbox.isOwn?.(trial.path(path))).toBe(false);
    trial.write('workspace/go', '');
    await running;
    expect(leases.map((path) => sandbox.isOwn?.(path))).toEqual([false]);
  },
);

describe('the command runs in the sandbox that was prepared', () => {
  test.each<[string, () => Partial<Profile>]>([
    ['a workspace that is read', () => ({ workspace: { path: trial.workspace, access: 'read-only' } })],
    ['an empty workspace', () => ({})],
    [
      'a repository',
      () => {
        makeRepository();
        trial.write('workspace/.vscode/tasks.json', '{}');
        return {};
      },
    ],
    [
      'a repository without hooks',
      () => {
        makeRepository();
        rmSync(trial.path('workspace/.git/hooks'), { recursive: true });
        return {};
      },
    ],
    [
      'a home',
      () => {
        mkdirSync(trial.path('home/.config'));
        const places = { workspace: trial.home, userHome: trial.home, lainclawHome: trial.lainclawHome };
        return { workspace: { path: trial.home, access: 'read-write' }, protect: protectedPaths(places) };
      },
    ],
  ])('%s', async (_, arrange) => {
    const profile = arrange();
    const root = profile.workspace?.path ?? trial.workspace;
    const before = listing(root);
    const command = trial.script('readlink /proc/self/ns/mnt; pwd', { cwd: root }, profile);
    await sandbox.prepare?.(command);
    expect(listing(root)).toEqual(before);
    const [waiting] = namespaces();
    expect(waiting).toBeDefined();
    const finished = await sandbox.run(command, trialOptions());
    expect(finished.stdout.text).toBe(`${waiting}\n${root}\n`);
    expect(listing(root)).toEqual(before);
    expect(sandboxes()).toEqual([]);
  });
});

describe('what changed after the preparation is honoured', () => {
  const evil = (path: string): string => `echo evil > ${path}; mkdir -p ${path}; echo evil > ${path}/evil`;
  const attack = ['.git/config', '.git/hooks', '.vscode', '.vscode/tasks.json', '.envrc', '.claude']
    .map((path) => `(${evil(path)}; mv ${path} moved; rm -rf moved) 2>/dev/null`)
    .concat('(mv .git moved; ln -sfT fine .git; rm -rf moved) 2>/dev/null')
    .join('\n');

  test.each<[string, () => void]>([
    ['a protected directory was made', () => trial.write('workspace/.vscode/tasks.json', 'mine')],
    ['a protected file was made', () => trial.write('workspace/.envrc', 'mine')],
    [
      'a protected file was replaced',
      () => {
        trial.write('workspace/.git/config.lock', readFileSync(trial.path('workspace/.git/config'), 'utf8'));
        renameSync(trial.path('workspace/.git/config.lock'), trial.path('workspace/.git/config'));
      },
    ],
    [
      'a protected file was replaced and came back',
      () => {
        const config = trial.path('workspace/.git/config');
        linkSync(config, trial.path('workspace/.git/kept'));
        trial.write('workspace/.git/other', 'x');
        renameSync(trial.path('workspace/.git/other'), config);
        renameSync(trial.path('workspace/.git/kept'), config);
      },
    ],
    [
      'a protected directory was removed and made again',
      () => {
        rmSync(trial.path('workspace/.git/hooks'), { recursive: true });
        mkdirSync(trial.path('workspace/.git/hooks'));
      },
    ],
    [
      'the directory above was exchanged for another',
      () => {
        execFileSync('cp', ['-r', trial.path('workspace/.git'), trial.path('workspace/other')]);
        renameSync(trial.path('workspace/.git'), trial.path('outside/git'));
        renameSync(trial.path('workspace/other'), trial.path('workspace/.git'));
      },
    ],
    ['the repository was removed', () => rmSync(trial.path('workspace/.git'), { recursive: true })],
    [
      'the workspace was exchanged for another',
      () => {
        renameSync(trial.workspace, trial.path('outside/workspace'));
        mkdirSync(trial.workspace);
      },
    ],
    [
      'another run has its placeholders there',
      () => mkdirSync(trial.path('workspace/.claude/.lainclaw-999999999-1-lease-x'), { recursive: true }),
    ],
  ])('%s', async (_, change) => {
    makeRepository();
    await prepare();
    const [waiting] = namespaces();
    expect(waiting).toBeDefined();
    change();
    const stays = listing(trial.workspace).filter((line) => !line.includes('.lainclaw'));
    const { stdout } = await run(`readlink /proc/self/ns/mnt\n${attack}; echo fine > fine; true`);
    expect(stdout.text).not.toContain(waiting);
    expect(readFileSync(trial.path('workspace/fine'), 'utf8')).toBe('fine\n');
    rmSync(trial.path('workspace/fine'));
    expect(listing(trial.workspace)).toEqual(stays.filter((line) => !line.endsWith('/.claude')));
  });

  test('what is hidden by then is hidden', async () => {
    await prepare();
    trial.write('workspace/secret/key', 'HIDDEN');
    const { stdout } = await run('cat secret/key; echo read', { hide: [trial.path('workspace/secret')] });
    expect(stdout.text).toBe('read\n');
  });

  test('a secret that a toolchain got by then is hidden', async () => {
    mkdirSync(trial.path('home/.cargo'));
    await prepare();
    trial.write('home/.cargo/credentials.toml', 'HIDDEN');
    expect((await run('cat ~/.cargo/credentials.toml; echo read')).stdout.text).toBe('read\n');
  });

  test('a command gets another sandbox where the first process of the prepared one has ended', async () => {
    await prepare();
    const [first] = sandboxes() as [number];
    // Bubblewrap does not notice the end of its child.
    process.kill(readStat(first)?.parent as number, 'SIGSTOP');
    process.kill(first, 'SIGKILL');
    await eventually(() => expect(readStat(first)?.state).toBe('Z'));
    expect((await run('echo well')).stdout.text).toBe('well\n');
  });

  test('the limits of a prepared sandbox are those of one that is started for its command', async () => {
    const text = 'readlink /proc/self/ns/mnt; cat /proc/self/limits';
    const [startedIn, ...limits] = (await run(text)).stdout.text.split('\n');
    await prepare();
    const waiting = namespaces();
    const [ranIn, ...limitsThere] = (await run(text)).stdout.text.split('\n');
    expect(waiting).toEqual([ranIn]);
    expect(waiting).not.toContain(startedIn);
    expect(limitsThere).toEqual(limits);
    expect(limits.join('\n')).toMatch(/^Max core file size +0 +0 /m);
  });

  test('a command of another kind gets a sandbox of its own', async () => {
    await prepare();
    const { stdout } = await run('touch file 2>/dev/null || echo refused', {
      workspace: { path: trial.workspace, access: 'read-only' },
    });
    expect(stdout.text).toBe('refused\n');
    await prepare({ workspace: { path: trial.workspace, access: 'read-only' } });
    expect((await run('touch file && echo made')).stdout.text).toBe('made\n');
  });
});

describe('preparing', () => {
  test('shows nothing in the workspace, to nobody: not to a command that runs meanwhile either', async () => {
    makeRepository();
    const command = trial.script(
      'touch begun; until [ -e go ]; do ls -A .lainclaw .vscode .idea .git/config.worktree .git/commondir.lainclaw; done; rm begun go',
    );
    const running = sandbox.run(command, trialOptions());
    await eventually(() => expect(existsSync(trial.path('workspace/begun'))).toBe(true));
    for (let count = 0; count < 3; count += 1) {
      await sandbox.prepare?.(command);
      expect(namespaces()).toHaveLength(2);
      // Another state: the next preparation starts again.
      trial.write(`workspace/.claude/${count}`, '');
      rmSync(trial.path(`workspace/.claude/${count}`));
    }
    trial.write('workspace/go', '');
    expect((await running).stdout.text).not.toContain('.lainclaw-');
  });

  test('commands in a row that each prepare the next one leave nothing in the workspace', async () => {
    for (let count = 0; count < 12; count += 1) {
      let cleaning: Promise<void> | undefined;
      const command = trial.script(`ls -A | grep -v '^[.]' ; echo ${count}`);
      const afterwards = (work: Promise<void>): void => {
        cleaning = work;
      };
      const { stdout } = await sandbox.run(command, trialOptions({ expectsMore: true, afterwards }));
      expect(stdout.text).toBe(`${count}\n`);
      await cleaning;
    }
    await sandbox.close?.();
    expect(readdirSync(trial.workspace)).toEqual([]);
  });

  test('a cancelled command leaves nothing of what was prepared for it', async () => {
    await prepare();
    expect(sandboxes()).toHaveLength(1);
    const finished = await sandbox.run(trial.script('touch made'), trialOptions({ signal: AbortSignal.abort() }));
    expect(finished.cancelled).toBe(true);
    expect(sandboxes()).toEqual([]);
    expect(readdirSync(trial.workspace)).toEqual([]);
  });

  test('only so many sandboxes wait, whatever the number of workspaces', async () => {
    for (let count = 0; count < 7; count += 1) {
      mkdirSync(trial.path(`outside/${count}`));
      await prepare({ workspace: { path: trial.path(`outside/${count}`), access: 'read-write' } });
    }
    await eventually(() => expect(sandboxes()).toHaveLength(4));
  });

  test('a killed process leaves no sandbox and nothing in the workspace, and the next one sweeps the rest', async () => {
    const child = await startProcess(`await sandbox.prepare(command); console.log('waits');`);
    expect(readdirSync(trial.workspace)).toEqual([]);
    expect(readdirSync(trial.path('lainclaw/sandbox'))).toHaveLength(1);
    child.kill('SIGKILL');
    await once(child, 'exit');
    await eventually(() => expect(processesWith(trial.workspace)).toEqual([]));
    expect(readdirSync(trial.workspace)).toEqual([]);
    await prepare();
    expect(readdirSync(trial.path('lainclaw/sandbox'))).toHaveLength(1);
  });

  test.each([
    ['the first command', ''],
    ['a command in a prepared sandbox', 'await sandbox.prepare(command);'],
  ])('a process killed during %s leaves nothing in the workspace, and the command dies first', async (_, before) => {
    makeRepository();
    const attack = 'while :; do mkdir .vscode .git/config.worktree && touch evil; done 2>/dev/null';
    const command = { ...trial.script(`touch begun; ${attack}`), env: { PATH: '/usr/bin:/bin', mark: trial.root } };
    const options = JSON.stringify(trialOptions({ expectsMore: true }));
    const child = await startProcess(`${before} void sandbox.run(command, ${options}); console.log('runs');`, command);
    await eventually(() => expect(existsSync(trial.path('workspace/begun'))).toBe(true));
    // The shell that cleans up knows the command by now: it has prepared the next one.
    await eventually(() => expect(readdirSync(trial.path('lainclaw/sandbox'))).toHaveLength(2));
    child.kill('SIGKILL');
    await eventually(() => expect(processesWith(trial.root)).toEqual([]));
    await eventually(() => expect(readdirSync(trial.workspace).sort()).toEqual(['.git', 'begun']));
    const names = readdirSync(trial.path('workspace/.git'));
    expect(names.filter((name) => /commondir|worktree|lainclaw/.test(name))).toEqual([]);
    rmSync(trial.path('lainclaw/sandbox'), { recursive: true });
  });

  test('what a process left that was killed while it prepared is swept by the next run', async () => {
    const lease = '.lainclaw-999999999-1-lease-x';
    mkdirSync(trial.path('workspace/.git', lease, '.vscode', lease), { recursive: true });
    writeFileSync(trial.path('workspace/.git', lease, 'commondir'), '.\n');
    await run('true');
    expect(readdirSync(trial.workspace)).toEqual([]);
  });
});

/** Another process with `sandbox` and `command`, once it has said something. */
async function startProcess(code: string, command = trial.script('true')): Promise<ChildProcess> {
  const script = `
    import { createBubblewrap } from ${JSON.stringify(resolve('src/sandbox/bubblewrap.ts'))};
    const { dependencies, command } = JSON.parse(process.argv[1]);
    const newId = (prefix) => prefix + '-' + Math.random().toString(36).slice(2);
    const sandbox = createBubblewrap({ ...dependencies, newId });
    ${code}
    setInterval(() => {}, 1000);`;
  const { home: userHome, lainclawHome, temporary } = trial;
  const cgroups = { root: '/nowhere', membership: '' };
  const dependencies = { userHome, lainclawHome, temporary, uid: process.getuid?.() ?? -1, kernel: '6.1', cgroups };
  const given = JSON.stringify({ dependencies, command });
  const child = spawn(process.execPath, ['--input-type=module', '-e', script, given], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  await once(child.stdout, 'data');
  return child;
}

/** Everything below, with contents. */
function listing(path: string): string[] {
  return execFileSync('find', [path, '-type', 'f', '-printf', '%p ', '-exec', 'md5sum', '{}', ';', '-o', '-print'], {
    encoding: 'utf8',
  })
    .split('\n')
    .sort();
}
