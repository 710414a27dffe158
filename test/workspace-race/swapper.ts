// The attacker: a process of its own that, as fast as it can, lets one path alternate between something inside the
// workspace and a link to its counterpart outside. Started by race.ts; ends on 'stop' or when its parent is gone.
//   directory  ws/d is a directory, then a link to the outside directory
//   leaf       ws/d/f is a file, then a link to the outside file
//   link       ws/d is a link inward, then a link outward; replaced atomically, so the path never goes missing
import { renameSync, symlinkSync } from 'node:fs';

export type Swap = 'directory' | 'leaf' | 'link';

/** What stands at `path` changes places with the link at `evil`; `parked` is where it waits meanwhile. */
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
    for (let i = 0; i < BATCH; i += 1) swapOnce();
    swaps += BATCH;
    if (!isStopping) setImmediate(loop);
    else process.send?.({ swaps } satisfies SwapperReport, () => process.disconnect());
  };
  loop();
}

function exchange({ path, evil, parked }: SwapperPlan): void {
  renameSync(path, parked);
  renameSync(evil, path);
  renameSync(path, evil);
  renameSync(parked, path);
}

function relink({ path, parked, inward, outward }: SwapperPlan): void {
  for (const target of [outward, inward]) {
    symlinkSync(target, parked);
    renameSync(parked, path);
  }
}
