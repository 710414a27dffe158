// Many processes at once, and many deaths: how much of what was acknowledged is missing afterwards.

import { runCrowd } from '../test/support/crowd.ts';
import { createHome } from '../test/support/home.ts';
import { runKills } from '../test/support/kill-harness.ts';
import type { Bench, Figure, Scale } from './bench.ts';

export const durability: Bench = {
  name: 'durability',
  async run(scale) {
    return [await crowd(scale, true), await crowd(scale, false), await kills(scale)];
  },
};

async function crowd(scale: Scale, sameKey: boolean): Promise<Figure> {
  const processes = scale === 'full' ? 50 : 4;
  const home = createHome();
  try {
    const { acknowledged, problems } = await runCrowd({ home, processes, sameKey });
    const lost = processes - acknowledged.length + problems.length;
    const name = `${processes} processes, ${sameKey ? 'one session' : 'a session each'}`;
    return {
      name,
      value: lost,
      unit: 'lost or broken',
      limit: 0,
      detail: problems[0] ?? `${acknowledged.length} turns`,
    };
  } finally {
    home.remove();
  }
}

async function kills(scale: Scale): Promise<Figure> {
  const home = createHome();
  try {
    const wanted = scale === 'full' ? 500 : 3;
    const { killed, acknowledged, problems } = await runKills({
      home,
      kills: wanted,
      seed: 1,
      sessionKeys: ['a', 'b'],
    });
    const detail = problems[0] ?? `${acknowledged.length} acknowledged turns in between`;
    return { name: `${killed} kills`, value: problems.length, unit: 'lost or broken', limit: 0, detail };
  } finally {
    home.remove();
  }
}
