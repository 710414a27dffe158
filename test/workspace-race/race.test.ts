import { describe, expect, it } from 'vitest';
import { type RaceOptions, runRace } from './race.ts';

type Attack = Pick<RaceOptions, 'swap' | 'mode'>;

const ATTACKS: Attack[] = [
  { swap: 'directory', mode: 'read' },
  { swap: 'directory', mode: 'list' },
  { swap: 'leaf', mode: 'read' },
  { swap: 'link', mode: 'read' },
  { swap: 'link', mode: 'list' },
];

describe.each(ATTACKS)('a $swap swapped for a link outward during a $mode', (attack) => {
  it('gets out of a reader that checks the path first: the attack works', async () => {
    const result = await runRace({ ...attack, reader: 'naive', iterations: 200_000, stopAtEscape: true });
    expect(result.outsideReads).toBe(1);
  });

  it('never gets out of the workspace', async () => {
    const result = await runRace({ ...attack, iterations: 2_000 });
    expect(result).toMatchObject({ attempts: 2_000, outsideReads: 0 });
    expect(result.insideReads).toBeGreaterThan(0);
    expect(result.refused).toBeGreaterThan(0);
    expect(result.swaps).toBeGreaterThan(0);
  });
});
