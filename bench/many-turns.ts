// Many turns, runs of jobs and reconnections of a channel in one process: neither memory nor open descriptors may grow with their number, nor
// may memory be high.
import { join } from 'node:path';
import { type Bench, type Figure, median, type Scale } from './bench.ts';
import { bundleWorker } from './bundle.ts';
import { withTemporaryHome } from './commands.ts';
import { runLasting } from './processes.ts';

const RESIDENT_MEGABYTES = 200;
/** A connection may be open at one look and not at the other. */
const MORE_HANDLES = 5;
const WINDOWS = 50;

interface Repeated {
  kind: 'turns' | 'firings' | 'reconnects';
  times: Record<Scale, number>;
  /** What people complain of is resident, not heap: some ten megabytes after all of them are the most that it may grow. */
  bytesEach: { heap: number; resident: number };
}

const REPEATED: readonly Repeated[] = [
  { kind: 'turns', times: { full: 100_000, quick: 100 }, bytesEach: { heap: 20, resident: 100 } },
  // The engine's heap reaches its size after some thousands of them: half of 10,000 would count that as growth.
  { kind: 'firings', times: { full: 20_000, quick: 50 }, bytesEach: { heap: 200, resident: 1_000 } },
  { kind: 'reconnects', times: { full: 1_000, quick: 20 }, bytesEach: { heap: 2_000, resident: 10_000 } },
];

interface Window {
  /** Its last one. */
  time: number;
  heap: number;
  rss: number;
  /** Open descriptors. */
  handles: number;
}

export const manyTurns: Bench = {
  name: 'many-turns',
  async run(scale) {
    const figures: Figure[] = [];
    for (const each of REPEATED) figures.push(...(await withTemporaryHome((home) => repeat(home, each, scale))));
    return figures;
  },
};

async function repeat(home: string, { kind, times, bytesEach }: Repeated, scale: Scale): Promise<Figure[]> {
  const count = times[scale];
  const windows = await watch(home, kind, count);
  // The first half is warm-up: compiled code, pools, caches, and the pages of the highest heap, which the engine keeps. A leak grows on.
  const settled = windows.filter(({ time }) => time > count / 2);
  const name = `${count} ${kind} in one process`;
  const growth = (of: 'heap' | 'rss', unit: string, limit: number): Figure => ({
    name,
    value: slope(settled.map((window) => ({ time: window.time, bytes: window[of] }))),
    unit,
    limit,
    detail: `${megabytes(settled[0]?.[of])} → ${megabytes(settled.at(-1)?.[of])}`,
  });
  const resident = settled.map(({ rss }) => rss);
  const [first, last] = [settled[0]?.handles ?? Number.NaN, settled.at(-1)?.handles ?? Number.NaN];
  return [
    growth('heap', 'bytes of heap each', bytesEach.heap),
    growth('rss', 'bytes resident each', bytesEach.resident),
    {
      name,
      value: median(resident) / 1e6,
      unit: 'MB resident',
      limit: RESIDENT_MEGABYTES,
      detail: `the median of ${resident.length} windows, at most ${megabytes(Math.max(...resident))}`,
    },
    { name, value: last - first, unit: 'more descriptors', limit: MORE_HANDLES, detail: `${first} → ${last}` },
  ];
}

async function watch(home: string, kind: string, times: number): Promise<Window[]> {
  const worker = await bundleWorker('bench/many-turns-worker.ts', join(home, 'bundle'));
  const output = await runLasting('--expose-gc', worker, home, kind, String(times), String(WINDOWS));
  return output
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as Window);
}

function megabytes(bytes = Number.NaN): string {
  return `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Least squares of bytes over times. */
function slope(samples: { time: number; bytes: number }[]): number {
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(samples.map(({ time }) => time));
  const y = mean(samples.map(({ bytes }) => bytes));
  const over = samples.reduce((sum, { time, bytes }) => sum + (time - x) * (bytes - y), 0);
  const under = samples.reduce((sum, { time }) => sum + (time - x) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
