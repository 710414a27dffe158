import { describe, expect, it } from 'vitest';
import type { Mode } from './attempts.ts';
import { runRace } from './race.ts';
import type { Swap } from './swapper.ts';

/** Attempts of each mode, over all its swaps; `npm run bench -- confinement` makes many more. */
const ATTEMPTS = 2_000;

const SWAPS: Record<Mode, Swap[]> = {
  read: ['directory', 'leaf', 'link'],
  list: ['directory', 'link'],
  write: ['directory', 'leaf', 'link'],
  edit: ['leaf', 'link'],
  mkdir: ['directory', 'link'],
};
const ATTACKS = Object.entries(SWAPS).flatMap(([mode, swaps]) =>
  swaps.map((swap) => ({ mode: mode as Mode, swap, iterations: Math.ceil(ATTEMPTS / swaps.length) })),
);

describe.each(ATTACKS)('a $swap swapped for a link outward during a $mode', ({ iterations, ...attack }) => {
  it('gets out of a program that checks the path first: the attack works', async () => {
    const result = await runRace({ ...attack, reader: 'naive', iterations: 200_000, stopAtEscape: true });
    expect(result.outsideReads).toBe(1);
  });

  it('never gets out of the workspace', async () => {
    const result = await runRace({ ...attack, iterations });
    expect(result).toMatchObject({ attempts: iterations, outsideReads: 0 });
    expect(result.insideReads).toBeGreaterThan(0);
    expect(result.refused).toBeGreaterThan(0);
    expect(result.swaps).toBeGreaterThan(0);
  });
});
