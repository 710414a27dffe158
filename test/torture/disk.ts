// Disks that fill up: a home on a small file system is filled to a chosen number of free kilobytes, a command runs, and the room comes
// back. It may fail then, and must say that the disk is full; afterwards nothing is half done. Runs in a mount namespace of its own.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, statfsSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createHome, type Home } from '../support/home.ts';
import { runBinary } from '../support/lainclaw.ts';
import { isWholeResult } from './kills.ts';
import { generalProblems, type Scenario, save } from './scenario.ts';

export interface DiskFigures {
  scenario: string;
  runs: number;
  /** Runs that the full disk ended. */
  refused: number;
  problems: string[];
}

const MOST_FREE_KIB = 300;
const FULL = /disk is full|no space|ENOSPC|EDQUOT/i;

export async function fillDisk(scenario: Scenario, runs: number, random: () => number): Promise<DiskFigures> {
  const base = mkdtempSync(join(tmpdir(), 'lainclaw-full-'));
  const figures: DiskFigures = { scenario: scenario.name, runs: 0, refused: 0, problems: [] };
  const made = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=64m', 'tmpfs', base], { encoding: 'utf8' });
  if (made.status !== 0) throw new Error(made.stderr);
  try {
    const home = createHome({ at: base });
    mkdirSync(home.workspace);
    await scenario.setUp(home);
    const saved = save(home, 'start');
    for (; figures.runs < runs; figures.runs += 1) {
      saved.restore();
      const freeKib = Math.floor(random() ** 2 * MOST_FREE_KIB);
      figures.problems.push(
        ...(await runFull(scenario, home, freeKib, figures)).map(
          (each) => `${scenario.name}, ${freeKib} KiB free: ${each}`,
        ),
      );
    }
  } finally {
    spawnSync('umount', [base]);
    rmSync(base, { recursive: true, force: true });
    await scenario.tearDown?.();
  }
  return figures;
}

async function runFull(scenario: Scenario, home: Home, freeKib: number, figures: DiskFigures): Promise<string[]> {
  const filler = join(home.base, 'filler');
  const { bsize, bavail } = statfsSync(home.base);
  writeFileSync(filler, Buffer.alloc(Math.max(0, bsize * bavail - freeKib * 1024)));
  const { code, stdout, stderr } = await runBinary(scenario.args, { home, env: { ...scenario.env } });
  rmSync(filler);
  if (code !== 0) figures.refused += 1;
  const unclear =
    code !== 0 && !FULL.test(stderr) ? [`ended with ${code}, and does not say why: ${stderr.slice(0, 300)}`] : [];
  const traced = /^ +at .*\(/m.test(stderr) ? [`a stack trace: ${stderr.slice(0, 300)}`] : [];
  try {
    const found = await scenario.problems(home, code === 0 && isWholeResult(stdout), 'full disk');
    return [...unclear, ...traced, ...found, ...generalProblems(home)];
  } catch (error) {
    return [...unclear, ...traced, (error as Error).message];
  }
}
