// A process swaps a directory (or a file) with a link to the outside in a tight loop; how often is the outside seen.
import { runRace } from '../test/workspace-race/race.ts';
import type { Bench, Figure } from './bench.ts';

export const confinement: Bench = {
  name: 'confinement',
  async run(scale) {
    const iterations = scale === 'full' ? 20_000 : 200;
    const figures: Figure[] = [];
    for (const [mode, swap] of [
      ['read', 'directory'],
      ['read', 'leaf'],
      ['list', 'directory'],
      ['write', 'directory'],
      ['edit', 'leaf'],
      ['mkdir', 'directory'],
    ] as const) {
      const { outsideReads, insideReads, refused, swaps } = await runRace({ iterations, mode, swap });
      figures.push({
        name: `${iterations} × ${mode}, ${swap} swapped`,
        value: outsideReads,
        unit: 'escapes',
        limit: 0,
        detail: `${insideReads} inside, ${refused} refused, ${swaps} swaps`,
      });
    }
    return figures;
  },
};
