// The attack on the workspace, measured: the same path is asked for again and again while swapper.ts exchanges what
// stands there. A naive program is the control: it shows that the attack works on this machine. Reading escapes when
// anything from outside is seen, writing when anything outside is created, changed or removed.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, readdirSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { WorkspaceError } from '../../src/vocabulary/workspace-error.ts';
import type { WorkspaceOptions } from '../../src/workspace/confined.ts';
import { type Attempt, createAttempt, createNaiveAttempt, type Mode } from './attempts.ts';
import type { Swap, SwapperPlan, SwapperReport } from './swapper.ts';
import { createYard, treeOf, type Yard } from './yard.ts';

export interface RaceOptions {
  iterations: number;
  mode: Mode;
  swap: Swap;
  reader?: Reader;
  /** Ends at the first escape; for the control, which only has to show one. */
  stopAtEscape?: boolean;
}

export type Reader = 'workspace' | 'checked-path' | 'naive';

export interface RaceResult {
  attempts: number;
  /** Attempts that touched only what lies inside. */
  insideReads: number;
  /** Attempts that touched neither: refused, or made at a moment when nothing was at the path. */
  refused: number;
  /** Attempts that saw or changed anything outside: escapes. */
  outsideReads: number;
  /** How often the path went out and came back meanwhile. */
  swaps: number;
}

export async function runRace({ iterations, mode, swap, reader, stopAtEscape }: RaceOptions): Promise<RaceResult> {
  const yard = createYard({ inMemory: true });
  try {
    const plan = layOut(yard, swap);
    const weaker: Partial<WorkspaceOptions> = reader === 'checked-path' ? { guarantee: 'checked-path' } : {};
    const attempt = reader === 'naive' ? createNaiveAttempt(yard, mode) : await createAttempt(yard, mode, weaker);
    const swapper = await startSwapper(plan);
    const result: RaceResult = { attempts: 0, insideReads: 0, refused: 0, outsideReads: 0, swaps: 0 };
    try {
      while (result.attempts < iterations && !(stopAtEscape && result.outsideReads > 0)) {
        result.attempts += 1;
        result[await judge(attempt, yard)] += 1;
      }
    } finally {
      result.swaps = await stopSwapper(swapper);
    }
    return result;
  } finally {
    yard.remove();
  }
}

async function judge(attempt: Attempt, yard: Yard): Promise<'insideReads' | 'outsideReads' | 'refused'> {
  let seen: string;
  try {
    seen = await attempt();
  } catch (error) {
    const isRefusal = error instanceof WorkspaceError || (error as NodeJS.ErrnoException).syscall !== undefined;
    // The tools speak of the workspace's refusals in their own words.
    if (!isRefusal && (error as Error).name !== 'ToolFailure') throw error;
    seen = '';
  }
  if (seen.includes('outside') || isTouched(yard)) return 'outsideReads';
  return seen.includes('inside') ? 'insideReads' : 'refused';
}

/** Repaired when it is, so that every escape counts once. */
function isTouched({ base, outside, write }: Yard): boolean {
  const found = [...readdirSync(base), ...treeOf(outside)].join('\n');
  const expected = ['outside', 'swap', 'ws', `${outside}/f: outside`, `${outside}/only-outside: outside`].join('\n');
  if (found === expected) return false;
  rmSync(outside, { recursive: true });
  write('outside/f', 'outside');
  write('outside/only-outside', 'outside');
  return true;
}

function layOut(yard: Yard, swap: Swap): SwapperPlan {
  const { root, outside, base } = yard;
  const target = swap === 'leaf' ? `${root}/d/f` : `${root}/d`;
  const outward = swap === 'leaf' ? `${outside}/f` : outside;
  yard.write('ws/d/f', 'inside');
  yard.write('ws/d/only-inside', 'inside');
  yard.write('outside/f', 'outside');
  yard.write('outside/only-outside', 'outside');
  mkdirSync(`${base}/swap`);
  symlinkSync(outward, `${base}/swap/evil`);
  if (swap === 'link') {
    renameSync(`${root}/d`, `${root}/real`);
    symlinkSync('real', `${root}/d`);
  }
  return { swap, path: target, evil: `${base}/swap/evil`, parked: `${base}/swap/parked`, inward: 'real', outward };
}

async function startSwapper(plan: SwapperPlan): Promise<ChildProcess> {
  const swapper = fork(new URL('./swapper.ts', import.meta.url), [JSON.stringify(plan)], { execArgv: [] });
  await nextMessage(swapper);
  return swapper;
}

/** Resolves after the process has ended: nothing moves any more. */
async function stopSwapper(swapper: ChildProcess): Promise<number> {
  const ended = new Promise((resolve) => swapper.once('exit', resolve));
  const report = nextMessage(swapper) as Promise<SwapperReport>;
  swapper.send('stop');
  const { swaps } = await report;
  await ended;
  return swaps;
}

function nextMessage(swapper: ChildProcess): Promise<unknown> {
  return new Promise((resolve, reject) => {
    swapper.once('message', resolve);
    swapper.once('exit', (code) => reject(new Error(`the swapper ended early with code ${code}`)));
  });
}
