// The clock: that it runs, that it is not far off, and that the disk agrees with it.
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { monotonicMs } from '../../lib/monotonic.ts';
import type { SelftestCheck } from './check.ts';

const WATCHED_MS = 300;
const MOST_DRIFT_MS = 100;
const MOST_DIFFERENCE_MS = 3_000;
/** Nobody has this program before. */
const EARLIEST = Date.UTC(2026, 0, 1);

export async function checkClock(directory: string, now: () => number): Promise<SelftestCheck> {
  const name = 'clock';
  const told = new Date(now()).toISOString();
  if (now() < EARLIEST)
    return { name, state: 'problem', message: `it says ${told}: set it, jobs would run at wrong times` };
  const path = join(directory, 'clock');
  writeFileSync(path, '');
  const apart = Math.abs(statSync(path).mtimeMs - now());
  if (apart > MOST_DIFFERENCE_MS)
    return {
      name,
      state: 'advice',
      message: `it says ${told}; the disk is ${Math.round(apart / 1_000)} s apart from it`,
    };
  const [wall, steady] = [now(), monotonicMs()];
  await sleep(WATCHED_MS);
  const drift = Math.round(now() - wall - (monotonicMs() - steady));
  if (Math.abs(drift) > MOST_DRIFT_MS)
    return { name, state: 'advice', message: `it says ${told}, and was set by ${drift} ms while it was watched` };
  return { name, state: 'ok', message: `it says ${told}, and runs evenly` };
}
