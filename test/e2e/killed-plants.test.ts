// Lainclaw is killed while a command runs that has planted something for git or an editor, or before it has put that back. The next command,
// whichever it is, puts it back before anything of the host finds it; it may be killed as well.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { findProgram, SYSTEM_DIRECTORIES } from '../../src/sandbox/find-program.ts';
import { GIT_PLANTS } from '../corpora/git-plants.ts';
import { eventually } from '../support/eventually.ts';
import { gitRunsIt, plantScript, prepareHome, shellOnHost } from '../support/git-on-host.ts';
import type { Home } from '../support/home.ts';
import { killEnvironment, runKilledAt } from '../support/killed-command.ts';
import { lainclaw, runBinary, startLainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

const MARK = 'planted-now';
const TRIED = 8;
const recordsOf = (home: Home): string => join(home.path, 'service/commands');
const records = (home: Home): string[] => (existsSync(recordsOf(home)) ? readdirSync(recordsOf(home)) : []);
const invoked = (command: string, background = false): string[] => [
  'tools',
  'invoke',
  'bash',
  '--mode=auto',
  '--args',
  JSON.stringify({ command, background }),
];

/** From a file: what a command's text shows is judged before it runs, and this is about what it does. */
async function killedAfter(home: Home, planting: string): Promise<void> {
  home.file('plant.sh', `${planting}\ntouch ${MARK}\nsleep 600\n`);
  const running = startLainclaw(invoked('bash plant.sh'), { home });
  await eventually(() => expect(existsSync(join(home.workspace, MARK)), running.said()).toBe(true));
  running.kill('SIGKILL');
  await running.ended;
}

describe('a command is killed together with Lainclaw', () => {
  it.concurrent.each(GIT_PLANTS)('and git runs nothing after the next command: $name', async ({ person, commands }) => {
    const home = prepareHome(testHome(), { person });
    await killedAfter(home, plantScript(home, commands.map((each) => each.replace(/; sleep \d+$/, '')).join('\n')));
    // Until then it is there: this is a plant that works.
    expect(gitRunsIt(home)).toBe(true);
    const { code, stderr } = await lainclaw(['sessions', 'list'], { home });
    expect([code, stderr]).toEqual([0, expect.stringContaining('by a command that was killed')]);
    expect(gitRunsIt(home)).toBe(false);
    expect(records(home)).toEqual([]);
    expect((await lainclaw(['sessions', 'list'], { home })).stderr).toBe('');
  });
});

const SETTING = 'real .; printf "\\n[user]\\n\\tname = Ada\\n" >> .git/config';
const PLANT = 'evil >> sub/.git/config; bare x';

interface Scene {
  home: Home;
  restore(): void;
}

function sceneOf(home: Home): Scene {
  const saved = (name: string): string => join(home.base, `saved-${name}`);
  const copy = (from: string, to: string): void => cpSync(from, to, { recursive: true, verbatimSymlinks: true });
  for (const name of ['home', 'workspace']) copy(join(home.base, name), saved(name));
  return {
    home,
    restore() {
      for (const name of ['home', 'workspace']) {
        rmSync(join(home.base, name), { recursive: true, force: true });
        copy(saved(name), join(home.base, name));
      }
    },
  };
}

async function countWrites(home: Home, args: readonly string[]): Promise<number> {
  const counted = join(home.base, 'count');
  await runBinary([...args], { home, env: { ...killEnvironment(0), LAINCLAW_TEST_COUNT_FILE: counted } });
  return Number(readFileSync(counted, 'utf8'));
}

/** `npm run torture -- kills --only plants` tries them all. */
const spread = (writes: number): number[] =>
  Array.from({ length: TRIED }, (_, index) => Math.max(1, Math.round(((index + 1) * writes) / TRIED)));

/** Some ten writes in the last third put back what was planted; which ones they are differs from run to run. */
const whilePuttingBack = (writes: number): number[] =>
  Array.from({ length: 20 }, (_, index) => Math.round(writes * 0.92) - 4 * index).filter((at) => at > writes / 2);

it('killed before one of its own writes, before the command or after it, git runs nothing after the next command', async () => {
  const home = prepareHome(testHome(), { person: `${SETTING}; nested sub` });
  home.file('plant.sh', plantScript(home, PLANT));
  await lainclaw(['sessions', 'list'], { home });
  const { restore } = sceneOf(home);
  const args = invoked('bash plant.sh');
  const writes = await countWrites(home, args);
  let plantsLeft = 0;
  for (const [index, at] of [...spread(writes), ...whilePuttingBack(writes)].entries()) {
    if (index >= TRIED && plantsLeft > 0) break;
    restore();
    await runKilledAt(args, at, { home });
    if (gitRunsIt(home)) plantsLeft += 1;
    const next = await lainclaw(['sessions', 'list'], { home });
    expect([at, next.code]).toEqual([at, 0]);
    expect([at, gitRunsIt(home)]).toEqual([at, false]);
    expect(readFileSync(join(home.workspace, '.git/config'), 'utf8')).toContain('name = Ada');
  }
  expect(plantsLeft).toBeGreaterThan(0);
});

it('the command that puts it back may be killed before one of its writes: the one after it finishes', async () => {
  const home = prepareHome(testHome(), { person: `${SETTING}; nested sub` });
  await killedAfter(home, plantScript(home, PLANT));
  const { restore } = sceneOf(home);
  const args = ['sessions', 'list'];
  const writes = await countWrites(home, args);
  for (const at of spread(writes)) {
    restore();
    await runKilledAt(args, at, { home });
    await lainclaw(args, { home });
    expect([at, gitRunsIt(home), records(home)]).toEqual([at, false, []]);
  }
});

it('a sandbox that outlives its Lainclaw for a while is ended first, and plants nothing later', async () => {
  const home = prepareHome(testHome(), { person: `${SETTING}; nested sub` });
  await killedAfter(home, plantScript(home, PLANT));
  const [, pid, started] = /^(\d+)-(\d+)-/.exec(records(home)[0] ?? '') ?? [];
  home.file('again.sh', `while :; do\n${plantScript(home, PLANT)}\ndone\n`);
  const outliving = spawn(
    findProgram('bwrap', SYSTEM_DIRECTORIES) ?? '',
    ['--unsetenv', `lainclaw-of-${pid}-${started}`, '--unshare-pid', '--bind', '/', '/', '--', 'sh', 'again.sh'],
    { cwd: home.workspace, stdio: 'ignore' },
  );
  const ended = once(outliving, 'exit');
  onTestFinished(() => void outliving.kill('SIGKILL'));
  await lainclaw(['sessions', 'list'], { home });
  expect(gitRunsIt(home)).toBe(false);
  await ended;
  expect(outliving.signalCode).toBe('SIGKILL');
});

it('doctor puts it back and names it', async () => {
  const home = prepareHome(testHome(), { person: SETTING });
  await killedAfter(home, plantScript(home, 'bare x'));
  const { checks } = (await lainclaw(['doctor', '--json'], { home })).json<{
    checks: { name: string; message: string }[];
  }>();
  expect(checks.filter(({ name }) => name === 'killed commands')).toEqual([
    expect.objectContaining({ message: expect.stringMatching(/x\/HEAD was taken away \(.*core\.fsmonitor/) }),
  ]);
  expect(gitRunsIt(home)).toBe(false);
});

it('a record that cannot be read is named until doctor --fix has set it aside', async () => {
  const home = prepareHome(testHome(), { person: SETTING });
  await killedAfter(home, plantScript(home, 'bare x'));
  const [record = ''] = records(home);
  writeFileSync(join(recordsOf(home), record), '{"version":1,');
  expect((await lainclaw(['sessions', 'list'], { home })).stderr).toContain(`${record} is damaged`);
  await lainclaw(['doctor', '--fix'], { home });
  expect((await lainclaw(['sessions', 'list'], { home })).stderr).toBe('');
});

describe('a command of a tainted turn is killed together with Lainclaw', () => {
  async function killedInClone(): Promise<Home> {
    const home = prepareHome(testHome(), {
      person: 'real .; git remote add origin https://example.org/x.git; echo a: > Makefile',
    });
    await killedAfter(home, 'echo evil > .npmrc; echo evil > Makefile; echo {} > package.json');
    return home;
  }
  const text = (home: Home, path: string): string => readFileSync(join(home.workspace, path), 'utf8');

  it('and the next command takes away what other programs would run', async () => {
    const home = await killedInClone();
    const { stderr } = await lainclaw(['sessions', 'list'], { home });
    expect(stderr).toContain('.npmrc was taken away');
    expect(['.npmrc', 'package.json'].filter((path) => existsSync(join(home.workspace, path)))).toEqual([]);
    expect(text(home, 'Makefile')).toBe('a:\n');
  });

  it('and what a person has changed since is named and stays', async () => {
    const home = await killedInClone();
    const [record = ''] = records(home);
    const earlier = Date.now() / 1_000 - 60;
    utimesSync(join(recordsOf(home), record), earlier, earlier);
    shellOnHost(home, 'echo "mine: " >> Makefile');
    const { stderr } = await lainclaw(['sessions', 'list'], { home });
    expect(stderr).toMatch(/Makefile may be of that command and was changed after it/);
    expect(text(home, 'Makefile')).toBe('evil\nmine: \n');
  });
});

it('a command that ends leaves no record, one in the background has its own for as long as it runs', async () => {
  const home = prepareHome(testHome(), { person: SETTING });
  await lainclaw(invoked('echo a > a.txt'), { home });
  expect([records(home), existsSync(join(home.workspace, 'a.txt'))]).toEqual([[], true]);
});
