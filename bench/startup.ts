// How long a person waits for a command, against Node doing nothing.
import type { Bench } from './bench.ts';
import { LAINCLAW, timeCommands, withTemporaryHome } from './commands.ts';

const LIMITS = {
  '--version': 1.3,
  'completion --complete words -- lainclaw ask --pro': 1.7,
  'tools list': 1.7,
  'ask hello': 2.1,
} as const;
const EXTRA_MEGABYTES = 25;

export const startup: Bench = {
  name: 'startup',
  run: (scale) =>
    withTemporaryHome(async (home) => {
      const commands = Object.keys(LIMITS) as (keyof typeof LIMITS)[];
      const timings = timeCommands(
        [
          { name: 'floor', args: ['-e', '0'] },
          ...commands.map((name) => ({ name, args: [LAINCLAW, ...name.split(' ')], env: { LAINCLAW_HOME: home } })),
        ],
        scale === 'full' ? 41 : 3,
      );
      const floor = timings.get('floor') ?? { ms: Number.NaN, peakMb: Number.NaN };
      const figures = commands.map((name) => {
        const ms = timings.get(name)?.ms ?? Number.NaN;
        return {
          name: `lainclaw ${name}`,
          value: ms / floor.ms,
          unit: '× node -e 0',
          limit: LIMITS[name],
          detail: `${ms.toFixed(1)} ms, floor ${floor.ms.toFixed(1)} ms`,
        };
      });
      const peak = timings.get('ask hello')?.peakMb ?? Number.NaN;
      return [
        ...figures,
        {
          name: 'lainclaw ask hello, peak memory',
          value: peak - floor.peakMb,
          unit: 'MB over the floor',
          limit: EXTRA_MEGABYTES,
          detail: `${peak.toFixed(0)} MB, floor ${floor.peakMb.toFixed(0)} MB`,
        },
      ];
    }),
};
