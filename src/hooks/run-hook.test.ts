import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { type HookAnswer, runHook } from './run-hook.ts';

function setUp() {
  const cwd = mkdtempSync(join(tmpdir(), 'hook-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const control = new AbortController();
  const run = (command: string, at = cwd): Promise<HookAnswer> =>
    runHook({ event: 'x' }, { command, cwd: at, env: process.env, timeoutMs: 600_000, signal: control.signal });
  const read = (name: string): string => readFileSync(join(cwd, name), 'utf8').trim();
  return { run, read, cancel: () => control.abort() };
}

/** Nobody may have asked for its end yet. */
function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return false;
  }
}

test('a hook that leaves something in the background is over when it has ended, and so is what it left', async () => {
  const { run, read } = setUp();
  expect(await run(`sleep 600 & echo $! > left; echo '{"tell":"done"}'`)).toEqual({
    ok: true,
    answer: { tell: 'done' },
  });
  await eventually(() => expect(isRunning(Number(read('left')))).toBe(false));
});

test('a process that left the group of its hook does not keep a hook that is cancelled', async () => {
  const { run, read, cancel } = setUp();
  const ended = run('setsid sh -c "echo \\$\\$ > pid; mv pid escaped; exec sleep 600" & wait');
  await eventually(() => expect(read('escaped')).not.toBe(''));
  onTestFinished(() => void process.kill(Number(read('escaped')), 'SIGKILL'));
  cancel();
  expect(await ended).toEqual({ ok: false, problem: 'it was cancelled' });
});

test.for([
  ['/does/not/exist', 'ENOENT'],
  ['/etc/passwd', 'ENOTDIR'],
] as const)('a hook that cannot be started in %s is a problem, not a defect', async ([cwd, code]) => {
  const answer = await setUp().run('true', cwd);
  expect(answer).toEqual({ ok: false, problem: expect.stringMatching(`^it could not be started: .*${code}`) });
});
