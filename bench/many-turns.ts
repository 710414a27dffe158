// Many turns in one process, with a model behind HTTP: memory must not grow with their number, nor stand high.
import { join } from 'node:path';
import { type Bench, type Figure, median } from './bench.ts';
import { bundleWorker } from './bundle.ts';
import { withTemporaryHome } from './commands.ts';
import { runNode } from './processes.ts';

const HEAP_BYTES_A_TURN = 20;
/** What people complain of is resident, not heap: ten megabytes after a hundred thousand turns is the most it may grow. */
const RESIDENT_BYTES_A_TURN = 100;
const RESIDENT_MEGABYTES = 200;
/** A connection to the model may be open at one look and not at the other. */
const MORE_HANDLES = 5;
const WINDOWS = 50;

interface Window {
  /** Its last turn. */
  turn: number;
  heap: number;
  rss: number;
  /** Open descriptors. */
  handles: number;
}

export const manyTurns: Bench = {
  name: 'many-turns',
  run: (scale) =>
    withTemporaryHome(async (home) => {
      const turns = scale === 'full' ? 100_000 : 100;
      const windows = await watch(home, turns);
      // The first fifth is warm-up: compiled code, pools, caches.
      const settled = windows.filter(({ turn }) => turn > turns / 5);
      const name = `${turns} turns in one process`;
      const growth = (of: 'heap' | 'rss', unit: string, limit: number): Figure => ({
        name,
        value: slope(settled.map((window) => ({ turn: window.turn, bytes: window[of] }))),
        unit,
        limit,
        detail: `${megabytes(settled[0]?.[of])} → ${megabytes(settled.at(-1)?.[of])}`,
      });
      const resident = settled.map(({ rss }) => rss);
      return [
        growth('heap', 'bytes of heap a turn', HEAP_BYTES_A_TURN),
        growth('rss', 'bytes resident a turn', RESIDENT_BYTES_A_TURN),
        {
          name,
          value: median(resident) / 1e6,
          unit: 'MB resident',
          limit: RESIDENT_MEGABYTES,
          detail: `the median of ${resident.length} windows, at most ${megabytes(Math.max(...resident))}`,
        },
        {
          name,
          value: (settled.at(-1)?.handles ?? Number.NaN) - (settled[0]?.handles ?? Number.NaN),
          unit: 'more descriptors',
          limit: MORE_HANDLES,
          detail: `${settled[0]?.handles} → ${settled.at(-1)?.handles}`,
        },
      ];
    }),
};

async function watch(home: string, turns: number): Promise<Window[]> {
  const worker = await bundleWorker('bench/many-turns-worker.ts', join(home, 'bundle'));
  const output = await runNode('--expose-gc', worker, home, String(turns), String(WINDOWS));
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Window);
}

function megabytes(bytes = Number.NaN): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Least squares of bytes over turns. */
function slope(samples: { turn: number; bytes: number }[]): number {
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(samples.map(({ turn }) => turn));
  const y = mean(samples.map(({ bytes }) => bytes));
  const over = samples.reduce((sum, { turn, bytes }) => sum + (turn - x) * (bytes - y), 0);
  const under = samples.reduce((sum, { turn }) => sum + (turn - x) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
