// Many turns in one process, with a model behind HTTP: memory must not grow with their number.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import type { Bench, Figure } from './bench.ts';
import { cleanEnvironment, withTemporaryHome } from './commands.ts';

const HEAP_BYTES_A_TURN = 20;
/** What people complain of is resident, not heap: ten megabytes after a hundred thousand turns is the most it may grow. */
const RESIDENT_BYTES_A_TURN = 100;

export const manyTurns: Bench = {
  name: 'many-turns',
  run: (scale) =>
    withTemporaryHome(async (home) => {
      const turns = scale === 'full' ? 100_000 : 60;
      const worker = resolve('bench/many-turns-worker.ts');
      const child = spawn(process.execPath, ['--expose-gc', worker, home, String(turns)], {
        env: cleanEnvironment(),
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      let output = '';
      child.stdout.on('data', (chunk) => {
        output += chunk;
      });
      const [code] = (await once(child, 'exit')) as [number];
      if (code !== 0) throw new Error(`the worker ended with ${code}`);
      const samples = output
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line) as { turn: number; heap: number; rss: number });
      // The first fifth is warm-up: compiled code, pools, caches.
      const settled = samples.filter(({ turn }) => turn > turns / 5);
      const first = settled[0] ?? samples[0];
      const last = samples.at(-1);
      if (!first || !last) throw new Error('the worker told nothing');
      const watched = settled.length > 1 ? settled : samples;
      const megabytes = (bytes: number): string => `${(bytes / 1e6).toFixed(1)} MB`;
      const figure = (of: 'heap' | 'rss', unit: string, limit: number): Figure => ({
        name: `${turns} turns in one process`,
        value: slope(watched.map((sample) => ({ turn: sample.turn, bytes: sample[of] }))),
        unit,
        limit,
        detail: `${megabytes(first[of])} → ${megabytes(last[of])}`,
      });
      return [
        figure('heap', 'bytes of heap a turn', HEAP_BYTES_A_TURN),
        figure('rss', 'bytes resident a turn', RESIDENT_BYTES_A_TURN),
      ];
    }),
};

/** Least squares of bytes over turns. */
function slope(samples: { turn: number; bytes: number }[]): number {
  const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;
  const x = mean(samples.map(({ turn }) => turn));
  const y = mean(samples.map(({ bytes }) => bytes));
  const over = samples.reduce((sum, { turn, bytes }) => sum + (turn - x) * (bytes - y), 0);
  const under = samples.reduce((sum, { turn }) => sum + (turn - x) ** 2, 0);
  return under === 0 ? 0 : over / under;
}
