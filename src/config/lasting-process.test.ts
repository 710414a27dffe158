import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';

/** Megabytes of the young generation after much short-lived work, and what was said on stderr. */
function work(prelude: string): { youngMb: number; stderr: string } {
  const source = `
    ${prelude}
    let kept = [];
    for (let round = 0; round < 1_500; round += 1) {
      kept = Array.from({ length: 2_000 }, (_, index) => ({ round, index, text: [index] }));
      // Turns wait for disks and models all the time: in between, growth is stopped.
      await new Promise((resolve) => setImmediate(resolve));
    }
    const { getHeapSpaceStatistics } = await import('node:v8');
    const young = getHeapSpaceStatistics().find(({ space_name }) => space_name === 'new_space');
    console.log(young.space_size, kept.length);`;
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', source], {
    encoding: 'utf8',
    cwd: import.meta.dirname,
    env: { NODE_NO_WARNINGS: '1' },
  });
  return { youngMb: Number.parseInt(stdout, 10) / 1e6, stderr };
}

it('a process that stays keeps its young generation small, and this Node knows the flags', () => {
  const byItself = work('');
  const small = work("(await import('./lasting-process.ts')).keepMemorySmall();");
  expect(small).toEqual({ youngMb: expect.any(Number), stderr: '' });
  expect(small.youngMb).toBeLessThanOrEqual(byItself.youngMb / 2);
});
