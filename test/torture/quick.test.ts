// Every part of `npm run torture`, small: that the parts work, and what two tries of each find.
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const PARTS = ['kills', 'syscalls', 'gateway', 'sandbox', 'power', 'disk', 'damage', 'clock', 'cluster'];

it('finds nothing lost, repeated, corrupt or wrong in a quick run of every part', async () => {
  const { stdout } = await promisify(execFile)(process.execPath, [join(import.meta.dirname, 'run.ts'), '--quick']);
  // A part that this machine does not allow says so.
  for (const part of PARTS) expect(stdout).toMatch(new RegExp(`^(ok|--) +${part}: `, 'm'));
  expect(stdout).not.toContain('FAIL');
  expect(stdout.trimEnd().split('\n').at(-1)).toBe('nothing lost, repeated, corrupt or wrong');
}, 600_000);
