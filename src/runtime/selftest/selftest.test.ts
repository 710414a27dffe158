import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { afterFile } from '../../../test/support/test-home.ts';
import type { Sandbox } from '../../sandbox/sandbox.ts';
import { checkClock } from './clock.ts';
import { checkRoom } from './disk.ts';
import { checkSandbox } from './sandbox.ts';
import { runSelftest } from './selftest.ts';

function folder(below = tmpdir()): string {
  const made = mkdtempSync(join(below, 'lainclaw-selftest-'));
  afterFile(() => rmSync(made, { recursive: true, force: true }));
  return made;
}

const none = { name: 'none', isolates: false } as Sandbox;

it('on this machine nothing is a problem, and nothing is left in the home', async () => {
  const home = folder();
  const checks = await runSelftest({ home, sandbox: async () => none, now: Date.now });
  expect(checks.map(({ name }) => name)).toEqual(['room', 'sync', 'replace', 'database', 'locks', 'clock', 'sandbox']);
  expect(checks.filter(({ state }) => state === 'problem')).toEqual([]);
  expect(readdirSync(home)).toEqual([]);
});

it.skipIf(!existsSync('/dev/shm') || statfsSync('/dev/shm').type !== 0x01021994)(
  'memory is not taken for a disk',
  () => {
    expect(checkRoom(folder('/dev/shm'))).toMatchObject({ message: expect.stringContaining('memory, not a disk') });
  },
);

it('a clock that is years behind, and one that jumps, are named', async () => {
  expect(await checkClock(folder(), () => 0)).toMatchObject({ state: 'problem' });
  let ahead = 0;
  setTimeout(() => {
    ahead = 1_000;
  }, 100);
  const jumping = (): number => Date.now() + ahead;
  const { state, message } = await checkClock(folder(), jumping);
  expect([state, message]).toEqual(['advice', expect.stringMatching(/was set by \d+ ms/)]);
});

it('a sandbox that lets commands write elsewhere is a problem', async () => {
  const open: Sandbox = {
    ...none,
    name: 'bubblewrap',
    isolates: true,
    async run({ argv: [program = '', ...args], cwd }) {
      const { stdout, stderr } = await promisify(execFile)(program, args, { cwd });
      const captured = (text: string) => ({ text, bytes: text.length, cut: false });
      const output = { stdout: captured(stdout), stderr: captured(stderr), interleaved: captured(stdout) };
      return { exitCode: 0, timedOut: false, cancelled: false, ...output };
    },
  } as Sandbox;
  expect(await checkSandbox(folder(), async () => open)).toEqual({
    name: 'sandbox',
    state: 'problem',
    message: 'bubblewrap: a command wrote outside its folder',
  });
});

it.skipIf(process.getuid?.() === 0)('a home that cannot be written is named', async () => {
  const home = folder();
  chmodSync(home, 0o500);
  await expect(runSelftest({ home, sandbox: async () => none, now: Date.now })).rejects.toMatchObject({
    code: 'STORAGE_NO_PERMISSION',
  });
});
