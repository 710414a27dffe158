import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { readStat } from '../../sandbox/end-tree.ts';
import { runShellCommand, type ShellCommandEnd } from './shell-command.ts';

function setUp(env: Record<string, string> = {}) {
  const cwd = mkdtempSync(join(tmpdir(), 'chat-shell-'));
  onTestFinished(() => rmSync(cwd, { recursive: true }));
  const control = new AbortController();
  const seen = { output: '' };
  const run = (command: string): Promise<ShellCommandEnd> =>
    runShellCommand({
      command,
      cwd,
      env: { PATH: process.env.PATH, ...env },
      signal: control.signal,
      onOutput: (output) => {
        seen.output = output;
      },
    });
  return { cwd, run, seen, stop: () => control.abort() };
}

describe('a command of the person', () => {
  it('runs in their shell as it is typed, and tells what it printed on both ways and how it ended', async () => {
    const { run, cwd, seen } = setUp();
    const end = await run('echo "a  b" > made; cat made; echo problem >&2; exit 3');
    expect(end).toMatchObject({ code: 3, wasStopped: false });
    expect(end.output).toContain('a  b\n');
    expect(end.output).toContain('problem\n');
    expect(seen.output).toBe(end.output);
    expect(existsSync(join(cwd, 'made'))).toBe(true);
  });

  it('has no input and no terminal: what asks ends instead of waiting', async () => {
    expect(await setUp().run('read line; echo "[$line]"; : < /dev/tty && echo terminal')).toMatchObject({
      output: expect.stringMatching(/^\[\]\n(?!.*terminal\n)/),
    });
  });

  it('is stopped with everything that it started', async () => {
    const { run, seen, stop } = setUp();
    const ended = run('sleep 300 & echo child $!; wait');
    await eventually(() => expect(seen.output).toMatch(/child \d+\n/));
    const child = Number(/child (\d+)/.exec(seen.output)?.[1]);
    expect(readStat(child)).toBeDefined();
    stop();
    expect(await ended).toMatchObject({ wasStopped: true });
    await eventually(() => expect(['Z', 'X', undefined]).toContain(readStat(child)?.state));
  });

  it('that ignores Ctrl+C is ended all the same', async () => {
    const { run, seen, stop } = setUp();
    const ended = run('trap "" INT; echo ready; while :; do sleep 0.05; done');
    await eventually(() => expect(seen.output).toContain('ready'));
    stop();
    expect(await ended).toMatchObject({ code: 137, wasStopped: true });
  });

  it('is not waited for where it leaves something in the background', async () => {
    expect(await setUp().run('(sleep 20; echo late) & echo left; exit 0')).toMatchObject({ code: 0, output: 'left\n' });
  });

  it('keeps the end of what is long', async () => {
    const { output } = await setUp().run('seq 1 40000');
    expect(output.length).toBeLessThanOrEqual(64_000);
    expect(output).toMatch(/40000\n$/);
  });

  it('says so where it is too long for the system', async () => {
    expect(await setUp().run(`: ${'x'.repeat(200_000)}`)).toMatchObject({
      code: 127,
      output: expect.stringContaining('E2BIG'),
    });
  });

  it('says so where there is no shell', async () => {
    const end = await setUp({ SHELL: '/does/not/exist' }).run('ls');
    expect(end).toMatchObject({ code: 127, output: expect.stringContaining('/does/not/exist') });
  });

  it('ends with this process when that ends before the time to clean up is over', async () => {
    const module = new URL('./shell-command.ts', import.meta.url).href;
    const code = `
      const { runShellCommand } = await import('${module}');
      const stop = new AbortController();
      const onOutput = (output) => { if (output.includes('ready')) { stop.abort(); setImmediate(() => process.exit(0)); } };
      const command = "trap '' INT TERM; echo ready $$; while :; do sleep 0.05; done";
      void runShellCommand({ command, cwd: '/', env: process.env, signal: stop.signal, onOutput: (output) => { process.stdout.write(output); onOutput(output); } });
    `;
    const printed = execFileSync(process.execPath, ['--input-type=module', '-e', code], { encoding: 'utf8' });
    const pid = Number(/ready (\d+)/.exec(printed)?.[1]);
    expect(pid).toBeGreaterThan(0);
    await eventually(() => expect(existsSync(`/proc/${pid}`)).toBe(false));
  });
});
