// The attacker: a process of its own that, as fast as it can, lets one path alternate between something inside the
// workspace and a link to its counterpart outside. Started by race.ts; ends on 'stop' or when its parent is gone.
//   directory  ws/d is a directory, then a link to the outside directory
//   leaf       ws/d/f is a file, then a link to the outside file
//   link       ws/d is a link inward, then a link outward; replaced atomically, so the path never goes missing
// While it is read, the same things change places all the time. While it is written, a writer may have taken the place
// meanwhile: then what is in the way is cleared and both are made again.
import { mkdirSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';

export type Swap = 'directory' | 'leaf' | 'link';

/** What is at `path` changes places with the link at `evil`; `parked` is where it waits meanwhile. */
export interface SwapperPlan {
  swap: Swap;
  path: string;
  evil: string;
  parked: string;
  /** Targets of the two links of the `link` swap. */
  inward: string;
  outward: string;
}

export interface SwapperReport {
  swaps: number;
}

const BATCH = 50;

if (process.argv[2] !== undefined && process.send !== undefined) run(JSON.parse(process.argv[2]));

function run(plan: SwapperPlan): void {
  let swaps = 0;
  let isStopping = false;
  process.on('message', () => {
    isStopping = true;
  });
  process.on('disconnect', () => process.exit());
  process.send?.('ready');
  const swapOnce = plan.swap === 'link' ? () => relink(plan) : () => exchange(plan);
  const loop = (): void => {
    for (let i = 0; i < BATCH; i += 1) {
      try {
        swapOnce();
      } catch {
        startOver(plan);
      }
    }
    swaps += BATCH;
    if (!isStopping) setImmediate(loop);
    else process.send?.({ swaps } satisfies SwapperReport, () => process.disconnect());
  };
  loop();
}

function exchange(plan: SwapperPlan): void {
  const { swap, path, evil, parked } = plan;
  renameSync(path, parked);
  renameSync(evil, path);
  renameSync(path, evil);
  renameSync(parked, path);
  // A file written at the path in the right moment has taken the link's place: plant it again.
  if (swap === 'leaf') plant(plan);
}

function plant({ evil, outward }: SwapperPlan): void {
  rmSync(evil, { force: true });
  symlinkSync(outward, evil);
}

function relink({ path, parked, inward, outward }: SwapperPlan): void {
  for (const target of [outward, inward]) {
    symlinkSync(target, parked);
    renameSync(parked, path);
  }
}

/** Never throws: a writer may be faster once more, then the next round sees to it. */
function startOver(plan: SwapperPlan): void {
  const { swap, path, evil, parked, inward } = plan;
  try {
    for (const used of [path, evil, parked]) rmSync(used, { recursive: true, force: true });
    if (swap === 'link') symlinkSync(inward, path);
    else plant(plan);
    if (swap === 'leaf') writeFileSync(path, 'inside');
    if (swap === 'directory') {
      mkdirSync(path);
      writeFileSync(`${path}/f`, 'inside');
      writeFileSync(`${path}/only-inside`, 'inside');
    }
  } catch {}
}
