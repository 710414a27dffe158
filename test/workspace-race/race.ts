// The attack on the workspace, measured: a reader asks for the same path again and again while swapper.ts exchanges
// what stands there. The naive reader is the control: it shows that the attack works on this machine.
import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync } from 'node:fs';
import { readdir, readFile, realpath } from 'node:fs/promises';
import { createWorkspace, type WorkspaceOptions } from '../../src/workspace/confined.ts';
import { WorkspaceError } from '../../src/workspace/workspace.ts';
import type { Swap, SwapperPlan, SwapperReport } from './swapper.ts';
import { createYard, type Yard } from './yard.ts';

export interface RaceOptions {
  iterations: number;
  mode: 'read' | 'list';
  swap: Swap;
  reader?: Reader;
  /** Ends at the first escape; for the control, which only has to show one. */
  stopAtEscape?: boolean;
}

export type Reader = 'workspace' | 'checked-path' | 'naive';

export interface RaceResult {
  attempts: number;
  /** Attempts that saw only what lies inside. */
  insideReads: number;
  /** Attempts that saw neither: refused, or made at a moment when nothing stood at the path. */
  refused: number;
  /** Attempts that saw anything from outside: escapes. */
  outsideReads: number;
  /** How often the path went out and came back meanwhile. */
  swaps: number;
}

type Attempt = () => Promise<string>;

export async function runRace({ iterations, mode, swap, reader, stopAtEscape }: RaceOptions): Promise<RaceResult> {
  const yard = createYard();
  try {
    const plan = layOut(yard, swap);
    const attempt = await createAttempt(yard, mode, reader ?? 'workspace');
    const swapper = await startSwapper(plan);
    const result: RaceResult = { attempts: 0, insideReads: 0, refused: 0, outsideReads: 0, swaps: 0 };
    try {
      while (result.attempts < iterations && !(stopAtEscape && result.outsideReads > 0)) {
        result.attempts += 1;
        result[await judge(attempt)] += 1;
      }
    } finally {
      result.swaps = await stopSwapper(swapper);
    }
    return result;
  } finally {
    yard.remove();
  }
}

async function judge(attempt: Attempt): Promise<'insideReads' | 'outsideReads' | 'refused'> {
  try {
    const seen = await attempt();
    if (seen.includes('outside')) return 'outsideReads';
    return seen.includes('inside') ? 'insideReads' : 'refused';
  } catch (error) {
    if (error instanceof WorkspaceError || (error as NodeJS.ErrnoException).syscall !== undefined) return 'refused';
    throw error;
  }
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

/** Resolves to what was seen: a file's content, or the names of a listing. */
async function createAttempt(yard: Yard, mode: RaceOptions['mode'], reader: Reader): Promise<Attempt> {
  if (reader === 'naive') return createNaiveAttempt(yard, mode);
  const weaker: Partial<WorkspaceOptions> = reader === 'checked-path' ? { guarantee: 'checked-path' } : {};
  const workspace = await createWorkspace({ root: yard.root, ...weaker });
  if (mode === 'read') {
    return async () => {
      const { handle } = await workspace.openFile('d/f');
      try {
        return await handle.readFile('utf8');
      } finally {
        await handle.close();
      }
    };
  }
  // In turn from above, where the link must not be entered, and straight, where it must not be followed.
  let turn = 0;
  return async () => {
    turn += 1;
    const { entries } = await workspace.list(turn % 2 === 0 ? '.' : 'd', {
      recursive: true,
      maxDepth: 3,
      maxEntries: 100,
    });
    return entries.map((entry) => entry.path).join(' ');
  };
}

/** What most programs do: look where the path leads, then use the path. */
function createNaiveAttempt({ root }: Yard, mode: RaceOptions['mode']): Attempt {
  const path = mode === 'read' ? `${root}/d/f` : `${root}/d`;
  return async () => {
    const real = await realpath(path);
    if (!real.startsWith(`${root}/`)) throw new WorkspaceError('outside', 'outside');
    return mode === 'read' ? readFile(path, 'utf8') : (await readdir(path)).join(' ');
  };
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
