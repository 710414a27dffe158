// What every sandbox must do with a command, whether it isolates it or not: run it as asked, bound what it says, and
// leave nothing of it alive. What only isolation gives is in isolation.test.ts.
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Finished, Sandbox } from '../../src/sandbox/sandbox.ts';
import { eventually } from '../support/eventually.ts';
import { withLongEnough } from '../support/long-enough.ts';
import { createTrial, processesWith, type Trial, trialOptions } from '../support/sandbox-trial.ts';

export function testSandbox(name: string, create: (trial: Trial) => Sandbox): void {
  describe(`${name} runs commands`, () => {
    let trial: Trial;
    let sandbox: Sandbox;
    beforeEach(() => {
      trial = createTrial();
      sandbox = create(trial);
    });
    afterEach(() => {
      expect(readdirSync(trial.temporary)).toEqual([]);
      trial.remove();
    });

    const run = (text: string, ...change: Parameters<typeof trialOptions>): Promise<Finished> =>
      sandbox.run(trial.script(text), trialOptions(...change));

    test('it is there and says what it holds', async () => {
      expect(await sandbox.available()).toMatchObject({ ok: true });
    });

    test('exit code, stdout and stderr come back apart', async () => {
      const finished = await run('echo out; echo err >&2; exit 7');
      expect(finished).toMatchObject({ exitCode: 7, timedOut: false, cancelled: false });
      expect(finished.stdout).toEqual({ text: 'out\n', bytes: 4, cut: false });
      expect(finished.stderr).toEqual({ text: 'err\n', bytes: 4, cut: false });
      expect(finished.signal).toBeUndefined();
      expect(finished.spool).toBeUndefined();
    });

    test('a command that ends by a signal ends with 128 + n, and the signal is named', async () => {
      expect(await run('kill -TERM $$')).toMatchObject({ exitCode: 143, signal: 'SIGTERM' });
      expect(await run('kill -SEGV $$')).toMatchObject({ exitCode: 139, signal: 'SIGSEGV' });
    });

    test('it reads what it is given, and nothing when it is given nothing', async () => {
      const given = await sandbox.run(trial.script('cat', { stdin: 'grüße 世界' }), trialOptions());
      expect(given.stdout.text).toBe('grüße 世界');
      const again = await sandbox.run(trial.script('cat /dev/stdin', { stdin: 'by name' }), trialOptions());
      expect(again.stdout.text).toBe('by name');
      const large = 'x'.repeat(3_000_000);
      expect((await sandbox.run(trial.script('wc -c', { stdin: large }), trialOptions())).stdout.text).toBe(
        '3000000\n',
      );
      expect((await run('cat; echo end')).stdout.text).toBe('end\n');
    });

    test('it works in the directory that it is given and writes into the workspace', async () => {
      trial.write('workspace/sub/there.txt', 'there');
      const command = trial.script('pwd; cat there.txt; echo made > made.txt', { cwd: trial.path('workspace/sub') });
      const finished = await sandbox.run(command, trialOptions());
      expect(finished.stdout.text).toBe(`${trial.path('workspace/sub')}\nthere`);
      expect(readFileSync(trial.path('workspace/sub/made.txt'), 'utf8')).toBe('made\n');
    });

    test('it gets the environment it is given and none of the caller’s', async () => {
      process.env.SANDBOX_TEST_API_KEY = 'sk-secret';
      try {
        const env = { PATH: '/usr/bin:/bin', GREETING: 'a b\nc' };
        const finished = await sandbox.run(trial.script('env -0', { env }), trialOptions());
        const names = finished.stdout.text.split('\0').map((line) => line.split('=')[0]);
        const others = ['', 'PATH', 'GREETING', 'PWD', 'OLDPWD', 'SHLVL', '_', 'LAINCLAW_COMMAND'];
        expect(names.filter((name) => !others.includes(name ?? ''))).toEqual([]);
        expect(finished.stdout.text).toContain('GREETING=a b\nc\0');
      } finally {
        delete process.env.SANDBOX_TEST_API_KEY;
      }
    });

    test('it starts once what it starts after is done, and not at all when that fails', async () => {
      const { promise, resolve } = Promise.withResolvers<void>();
      const running = run('ls', { startsAfter: promise });
      trial.write('workspace/before', '');
      resolve();
      expect((await running).stdout.text).toBe('before\n');
      const failure = new Error('the disk is full');
      const failed = Promise.reject(failure);
      failed.catch(() => {});
      await expect(run('touch made', { startsAfter: failed })).rejects.toBe(failure);
      expect(readdirSync(trial.workspace)).toEqual(['before']);
    });

    test('its output is a pipe that can be opened by name, as in a shell', async () => {
      const finished = await run('echo one > /dev/stderr; echo two | tee /dev/stderr > /dev/stdout');
      expect(finished.stderr.text).toBe('one\ntwo\n');
      expect(finished.stdout.text).toBe('two\n');
    });

    /** Runs the steps one after another, each only after the output of the one before it has been seen. */
    async function runSteps(...steps: string[]): Promise<{ finished: Finished; seen: string[] }> {
      const seen: string[] = [];
      const onOutput = (stream: string, chunk: Buffer): void => {
        seen.push(`${stream}:${chunk}`);
        trial.write(`workspace/seen-${seen.length}`, '');
      };
      const waits = steps.map((step, index) => `${step}; until [ -e seen-${index + 1} ]; do sleep 0.005; done`);
      return { finished: await run(waits.join('\n'), { onOutput }), seen };
    }

    test('both streams are also kept in order of arrival, and shown while it runs', async () => {
      const { finished, seen } = await runSteps('echo o1', 'echo e1 >&2', 'echo o2', 'echo e2 >&2');
      expect(finished.interleaved.text).toBe('o1\ne1\no2\ne2\n');
      expect(seen).toEqual(['stdout:o1\n', 'stderr:e1\n', 'stdout:o2\n', 'stderr:e2\n']);
    });

    test('a character that arrives in two pieces is one character, also with the other stream between', async () => {
      const steps = [String.raw`printf '\xe4\xb8'`, 'printf X >&2', String.raw`printf '\x96!'`];
      const { finished } = await runSteps(...steps);
      expect(finished.stdout.text).toBe('世!');
      expect(finished.interleaved.text).toBe('X世!');
    });

    test('binary output does no harm', async () => {
      const finished = await run(String.raw`printf 'a\xff\xfe\x00b\xc3'; head -c 100000 /dev/urandom >&2`);
      expect(finished.stdout).toEqual({ text: 'a\uFFFD\uFFFD\0b\uFFFD', bytes: 6, cut: false });
      expect(finished.stderr).toMatchObject({ bytes: 100_000, cut: true });
    });

    test('long output is cut in the middle and kept whole in a private file', async () => {
      const spoolPath = trial.path('whole.txt');
      const finished = await run('seq 1 200000; echo oops >&2', {}, { spoolPath });
      const whole = readFileSync(spoolPath, 'utf8');
      expect(finished.stdout.cut).toBe(true);
      expect(finished.stdout.text).toMatch(/^1\n2\n3\n/);
      expect(finished.stdout.text).toMatch(/\n\[… \d+ bytes cut …\]\n/);
      expect(finished.stdout.text).toMatch(/\n199999\n200000\n$/);
      expect(finished.stdout.text.length).toBeLessThan(17_000);
      expect(finished.stderr).toEqual({ text: 'oops\n', bytes: 5, cut: false });
      expect(whole.replace('oops\n', '').split('\n')).toHaveLength(200_001);
      expect(finished.spool).toEqual({ path: spoolPath, bytes: finished.stdout.bytes + 5 });
      expect(statSync(spoolPath).mode & 0o777).toBe(0o600);
    });

    test('output beyond the limit ends it', async () => {
      const spoolPath = trial.path('whole.txt');
      const finished = await run('yes', {}, { maxBytes: 5_000_000, spoolPath });
      expect(finished).toMatchObject({ exitCode: null, signal: 'SIGKILL', limitExceeded: 'output', timedOut: false });
      expect(finished.interleaved.bytes).toBe(5_000_000);
      expect(statSync(spoolPath).size).toBe(5_000_000);
    });

    test('a disk that takes no more does not fail the command', async () => {
      const finished = await run('seq 1 200000; exit 3', {}, { spoolPath: trial.path('no-such-directory/whole.txt') });
      expect(finished.exitCode).toBe(3);
      expect(finished.stdout.text).toMatch(/200000\n$/);
      expect(finished.spool?.problem).toContain('no such file or directory');
    });

    test('a program that does not exist ends with 127, one that may not be run with 126', async () => {
      trial.write('workspace/data.txt', 'no program');
      const missing = await sandbox.run(trial.script('', { argv: ['no-such-program'] }), trialOptions());
      expect(missing.exitCode).toBe(127);
      expect(missing.stderr.text).toContain('no-such-program');
      const argv = [trial.path('workspace/data.txt')];
      expect((await sandbox.run(trial.script('', { argv }), trialOptions())).exitCode).toBe(126);
    });

    test('what no system could run is refused with a reason', async () => {
      const refused = (change: object) => expect(sandbox.run(trial.script('true', change), trialOptions())).rejects;
      await refused({ argv: [] }).toMatchObject({ name: 'SandboxError', code: 'invalid-command' });
      await refused({ argv: ['echo', 'a\0b'] }).toMatchObject({ code: 'invalid-command', message: /NUL/ });
      await refused({ env: { A: 'a\0b' } }).toMatchObject({ code: 'invalid-command' });
      await refused({ cwd: trial.path('nowhere') }).toMatchObject({ code: 'invalid-command', message: /nowhere/ });
      await refused({ argv: ['echo', 'x'.repeat(3_000_000)] }).toMatchObject({ code: 'invalid-command' });
    });

    test('a cancelled command ends at once, one cancelled before is never started', async () => {
      const controller = new AbortController();
      const onOutput = (): void => controller.abort();
      const more = { signal: controller.signal, onOutput, timeoutMs: 150_000 };
      const finished = await run('echo begun; sleep 300', more);
      expect(finished).toMatchObject({ exitCode: null, cancelled: true, timedOut: false, stdout: { text: 'begun\n' } });
      const before = await run('touch started', { signal: AbortSignal.abort() });
      expect(before).toMatchObject({ exitCode: null, cancelled: true, stdout: { bytes: 0 } });
      expect(readdirSync(trial.workspace)).toEqual([]);
    });

    test('it can be ended at any moment of its start', async () => {
      const mark = `mark-${trial.root}`;
      const runs = Array.from({ length: 32 }, (_, index) =>
        sandbox.run(
          trial.script('sleep 300', { env: { PATH: '/usr/bin:/bin', mark } }),
          trialOptions({ timeoutMs: index % 4 }),
        ),
      );
      for (const finished of await Promise.all(runs))
        expect(finished).toMatchObject({ exitCode: null, timedOut: true });
      expect(processesWith(mark)).toEqual([]);
    });

    test('after a timeout nothing survives: setsid, nohup, trap, double fork, closed streams', async () => {
      const mark = `mark-${trial.root}`;
      const text = `
        setsid sleep 300 &
        nohup sleep 300 >/dev/null 2>&1 &
        (trap '' TERM INT HUP; sleep 300; sleep 300) &
        (setsid sh -c '(sleep 300 <&- >&- 2>&- &) ; exit' &)
        python3 -c 'import os,time
if os.fork() == 0:
  os.setsid()
  if os.fork() == 0:
    os.closerange(0, 100)
    while True: time.sleep(1)' &
        trap '' TERM; echo ready; sleep 300; sleep 300`;
      const env = { PATH: '/usr/bin:/bin', mark };
      let most = 0;
      const look = setInterval(() => {
        most = Math.max(most, processesWith(mark).length);
      }, 100);
      const finished = await withLongEnough(
        1_500,
        (timeoutMs) => sandbox.run(trial.script(text, { env }), trialOptions({ timeoutMs })),
        ({ stdout }) => stdout.text === 'ready\n' && most >= 7,
      );
      clearInterval(look);
      expect(finished).toMatchObject({ exitCode: null, timedOut: true, stdout: { text: 'ready\n' } });
      expect(most).toBeGreaterThanOrEqual(7);
      expect(processesWith(mark)).toEqual([]);
    });

    test('what a finished command left running ends too, and it is not waited for', async () => {
      const mark = `mark-${trial.root}`;
      const env = { PATH: '/usr/bin:/bin', mark };
      const text = '(sleep 300; echo late) & setsid nohup sh -c "sleep 300; echo late" & echo done; exit 4';
      const finished = await sandbox.run(trial.script(text, { env }), trialOptions());
      expect(finished).toMatchObject({ exitCode: 4, timedOut: false, stdout: { text: 'done\n' } });
      await eventually(() => expect(processesWith(mark)).toEqual([]));
    });

    test('many at once do not disturb each other', async () => {
      const runs = Array.from({ length: 10 }, (_, index) => run(`sleep 0.1; echo ${index}; exit ${index}`));
      const results = await Promise.all(runs);
      expect(results.map(({ exitCode, stdout }) => `${exitCode} ${stdout.text}`)).toEqual(
        results.map((_, index) => `${index} ${index}\n`),
      );
      expect(readdirSync(trial.workspace)).toEqual([]);
    });
  });
}
