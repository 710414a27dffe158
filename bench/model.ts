// An ask with a model of zero latency, against a 30-line script that does the same HTTP exchange and stores nothing.
import { resolve } from 'node:path';
import type { Bench, Figure } from './bench.ts';
import { type Contender, LAINCLAW, timeCommands, withTemporaryHome } from './commands.ts';
import { startModel } from './processes.ts';

const FLOOR = resolve('bench/floor-agent.mjs');
const STEPS = 10;
const LIMITS = { oneShot: 1.6, peakMb: 90, stepMs: 4 };

export const model: Bench = {
  name: 'model',
  run: (scale) =>
    withTemporaryHome((home) =>
      withModel(async (baseUrl) => {
        const rounds = scale === 'full' ? 31 : 2;
        const oneShot = measure(baseUrl, home, 0, rounds);
        const stepping = measure(baseUrl, home, STEPS, rounds);
        const perStep = (who: 'floor' | 'lainclaw'): number => (stepping[who].ms - oneShot[who].ms) / STEPS;
        const ours = perStep('lainclaw');
        const floors = perStep('floor');
        return [
          {
            name: 'one-shot ask',
            value: oneShot.lainclaw.ms / oneShot.floor.ms,
            unit: '× floor',
            limit: LIMITS.oneShot,
            detail: `${oneShot.lainclaw.ms.toFixed(1)} ms, floor ${oneShot.floor.ms.toFixed(1)} ms`,
          },
          {
            name: 'one-shot ask, peak memory',
            value: oneShot.lainclaw.peakMb,
            unit: 'MB',
            limit: LIMITS.peakMb,
            detail: `floor ${oneShot.floor.peakMb.toFixed(0)} MB`,
          },
          {
            name: 'a tool step, synced',
            value: ours - floors,
            unit: 'ms over the floor',
            limit: LIMITS.stepMs,
            detail: `${ours.toFixed(1)} ms, floor ${floors.toFixed(1)} ms a step`,
          },
        ] satisfies Figure[];
      }),
    ),
};

function measure(baseUrl: string, home: string, steps: number, rounds: number) {
  const ask = ['ask', `steps ${steps}`, '--provider', 'openai-compatible', '--model', 'fake', '--base-url', baseUrl];
  const contenders: Contender[] = [
    { name: 'floor', args: [FLOOR, baseUrl, String(steps)] },
    {
      name: 'lainclaw',
      args: [LAINCLAW, ...ask, '--tool-max-steps', '50', '--new-session'],
      env: { LAINCLAW_HOME: home, LAINCLAW_API_KEY: 'none' },
    },
  ];
  const timings = timeCommands(contenders, rounds);
  const none = { ms: Number.NaN, peakMb: Number.NaN };
  return { floor: timings.get('floor') ?? none, lainclaw: timings.get('lainclaw') ?? none };
}

async function withModel<T>(use: (baseUrl: string) => Promise<T>): Promise<T> {
  const { baseUrl, stop } = await startModel('zero-latency-model.ts');
  try {
    return await use(baseUrl);
  } finally {
    stop();
  }
}
