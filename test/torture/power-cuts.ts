// Power cuts, for root. The home lies on an ext4 file system in a file of its own (a loop device). A command is killed at one of its writes,
// and at that moment the file is copied: it holds what the file system has written to its disk by then, and nothing of what only
// the memory of the machine knew. The copy is mounted, which replays its journal as after a power cut. A command that sees another start of the
// machine uses its conversations; then it is judged like a home after a kill.
// Runs in a mount namespace of its own: nothing of it is seen outside, and all mounts go with the process.
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHome, type Home } from '../support/home.ts';
import { killEnvironment } from '../support/killed-command.ts';
import { runBinary } from '../support/lainclaw.ts';
import { countPlaces, isWholeResult } from './kills.ts';
import { generalProblems, run, type Scenario } from './scenario.ts';

export interface CutFigures {
  scenario: string;
  cuts: number;
  /** Cuts after the person had seen the result. */
  shown: number;
  problems: string[];
}

const IMAGE_MB = 96;
const MOST_ATTEMPTS = 50;
const RETRY_MS = 100;

/** Why there can be none here; undefined when there can. */
export function powerCutProblem(): string | undefined {
  if (process.getuid?.() !== 0) return 'it needs root';
  for (const program of ['mkfs.ext4', 'losetup', 'unshare'])
    if (spawnSync('sh', ['-c', `command -v ${program}`]).status !== 0) return `there is no ${program}`;
  return spawnSync('losetup', ['-f']).status === 0 ? undefined : 'there is no loop device';
}

export async function cutPower(scenario: Scenario, cuts: number, random: () => number): Promise<CutFigures> {
  const aside = mkdtempSync(join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'lainclaw-power-'));
  const base = mkdtempSync(join(tmpdir(), 'lainclaw-power-'));
  const image = (name: string): string => join(aside, `${name}.img`);
  const start = image('start');
  const figures: CutFigures = { scenario: scenario.name, cuts: 0, shown: 0, problems: [] };
  try {
    system('truncate', '-s', `${IMAGE_MB}M`, start);
    system('mkfs.ext4', '-q', start);
    const home = await mounted(start, base, async (empty) => {
      mkdirSync(empty.workspace);
      await scenario.setUp(empty);
      return empty;
    });
    copyFileSync(start, image('count'));
    const places = await mounted(image('count'), base, () => countPlaces(scenario, 'writes', home));
    while (figures.cuts < cuts) {
      const disk = image(`disk-${figures.cuts}`);
      const copy = image(`copy-${figures.cuts}`);
      copyFileSync(start, disk);
      const at = 1 + Math.floor(random() * (places + 2));
      const isShown = await mounted(disk, base, async () => {
        const { stdout } = await runBinary(scenario.args, { home, env: { ...scenario.env, ...killEnvironment(at) } });
        copyFileSync(disk, copy);
        return isWholeResult(stdout);
      });
      figures.cuts += 1;
      if (isShown) figures.shown += 1;
      const found = await mounted(copy, base, () => judged(scenario, home, isShown));
      figures.problems.push(...found.map((problem) => `${scenario.name}, power cut at ${at}: ${problem}`));
      for (const used of [disk, copy]) rmSync(used);
    }
  } finally {
    rmSync(aside, { recursive: true, force: true });
    rmSync(base, { recursive: true, force: true });
    await scenario.tearDown?.();
  }
  return figures;
}

async function judged(scenario: Scenario, home: Home, isShown: boolean): Promise<string[]> {
  try {
    await afterNextStart(home, () => run(home, 'sessions', 'list'));
    return [...(await scenario.problems(home, isShown, 'power cut')), ...generalProblems(home)];
  } catch (error) {
    return [(error as Error).message];
  }
}

async function mounted<T>(image: string, base: string, use: (home: Home) => Promise<T>): Promise<T> {
  system('mount', '-o', 'loop', image, base);
  try {
    return await use(createHome({ at: base }));
  } finally {
    await unmount(base);
  }
}

const BOOT_ID = '/proc/sys/kernel/random/boot_id';

/** The kernel's name for the start of the machine is another meanwhile, in this namespace. No sandbox can be made then. */
async function afterNextStart(home: Home, use: () => Promise<unknown>): Promise<void> {
  const file = join(home.base, 'boot-id');
  writeFileSync(file, 'another start\n');
  system('mount', '--bind', file, BOOT_ID);
  try {
    await use();
  } finally {
    system('umount', BOOT_ID);
    rmSync(file);
  }
}

/** What a killed command had started may still be leaving. */
async function unmount(base: string): Promise<void> {
  for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
    if (spawnSync('umount', [base]).status === 0) return;
    await sleep(RETRY_MS);
  }
  system('umount', '-l', base);
}

function system(program: string, ...args: string[]): void {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${program} ${args.join(' ')}: ${stderr}`);
}
