// A person chats while sub-agents work in the same process: how much longer do the person's turns take than without them?
import { resolve } from 'node:path';
import type { Bench } from './bench.ts';
import { withTemporaryHome } from './commands.ts';
import { runNode } from './processes.ts';

const LIMIT_MS = 30;

export const agents: Bench = {
  name: 'agents',
  run: (scale) =>
    withTemporaryHome(async (home) => {
      const [runs, turns] = scale === 'full' ? [20, 100] : [2, 4];
      const worker = resolve('bench/agents-worker.ts');
      const output = await runNode(worker, home, String(runs), String(turns));
      const { alone, beside, running } = JSON.parse(output) as Record<'alone' | 'beside', number[]> & {
        running: number;
      };
      return [
        {
          name: `a turn beside ${runs} sub-agents, p95`,
          value: percentile(beside, 0.95) - percentile(alone, 0.95),
          unit: 'ms more than alone',
          limit: LIMIT_MS,
          detail: `${percentile(alone, 0.95).toFixed(0)} → ${percentile(beside, 0.95).toFixed(0)} ms, at least ${running} running`,
        },
      ];
    }),
};

function percentile(values: readonly number[], part: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * part))] ?? Number.NaN;
}
