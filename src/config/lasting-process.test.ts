import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { lastingCommand } from './lasting-process.ts';

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

it('a process that is started to stay compiles no function on another thread', () => {
  const source = `
    const add = (sum, value) => sum + value;
    for (let round = 0, sum = 0; round < 3_000_000; round += 1) sum = add(sum, round % 7);`;
  const compiled = ([node = '', ...args]: readonly string[]): string =>
    spawnSync(node, args, { encoding: 'utf8', env: {} }).stdout;
  const command = [process.execPath, '--trace-opt', '-e', source];
  expect(compiled(command)).toContain('mode: ConcurrencyMode::kConcurrent');
  expect(compiled(lastingCommand(command))).toContain('mode: ConcurrencyMode::kSynchronous');
  expect(compiled(lastingCommand(command))).not.toContain('mode: ConcurrencyMode::kConcurrent');
  expect(lastingCommand(lastingCommand(command))).toEqual(lastingCommand(command));
});
