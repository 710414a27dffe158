import { execFileSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { resolve } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { createTrial, processesWith, type Trial, trialOptions } from '../../test/support/sandbox-trial.ts';
import { readStat } from './end-tree.ts';
import { canBecome } from './ready-process.ts';
import type { Sandbox } from './sandbox.ts';

let trial: Trial;
let sandbox: Sandbox;
beforeEach(() => {
  trial = createTrial();
  sandbox = trial.bubblewrap();
});
afterEach(async () => {
  await sandbox.close?.();
  trial.remove();
});

describe('a process that was made ready', () => {
  test('gives the command its arguments and its environment exactly, whatever is in them', async () => {
    const text = fc
      .string({ unit: 'binary', maxLength: 40 })
      .filter((each) => !each.includes('\0') && each.isWellFormed());
    await fc.assert(
      fc.asyncProperty(text, text, async (argument, value) => {
        await sandbox.prepare?.(trial.script('true'));
        const command = trial.script('printf "%s|%s" "$1" "$GIVEN"; env | cut -d= -f1 | sort | tr "\\n" " "');
        const finished = await sandbox.run(
          { ...command, argv: [...command.argv, 'bash', argument], env: { PATH: '/usr/bin:/bin', GIVEN: value } },
          trialOptions(),
        );
        expect(finished.stdout.text.startsWith(`${argument}|${value}`)).toBe(true);
        if (!/[\n=]/.test(value))
          expect(finished.stdout.text.slice(argument.length + 1 + value.length)).toBe('GIVEN PATH PWD SHLVL _ ');
      }),
      { numRuns: 15 },
    );
  });

  test('is used once, and the next run starts its own', async () => {
    await sandbox.prepare?.(trial.script('true'));
    for (const word of ['one', 'two', 'three'])
      expect((await sandbox.run(trial.script(`echo ${word}`), trialOptions())).stdout.text).toBe(`${word}\n`);
  });

  test('is made during a run that expects more, and closing ends it', async () => {
    await sandbox.run(trial.script('sleep 0.2'), trialOptions({ expectsMore: true }));
    await sandbox.prepare?.(trial.script('true'));
    expect(descendants()).not.toEqual([]);
    await sandbox.close?.();
    expect(descendants()).toEqual([]);
    expect(readdirSync(trial.temporary)).toEqual([]);
    await sandbox.prepare?.(trial.script('true'));
    expect(descendants()).toEqual([]);
  });

  test.each([
    ['the shell that starts sandboxes', 0],
    ['bubblewrap', 1],
    ['the first process of the sandbox', 2],
  ])('is not missed when somebody killed %s', async (_, depth) => {
    await sandbox.prepare?.(trial.script('true'));
    const pid = descendants()[depth] as number;
    process.kill(pid, 'SIGKILL');
    await eventually(() => expect(readStat(pid)?.state ?? 'Z').toBe('Z'));
    for (const word of ['one', 'two'])
      expect((await sandbox.run(trial.script(`echo ${word}`), trialOptions({ expectsMore: true }))).stdout.text).toBe(
        `${word}\n`,
      );
    await sandbox.prepare?.(trial.script('true'));
    expect((await sandbox.run(trial.script('echo there'), trialOptions())).stdout.text).toBe('there\n');
  });

  test('neither keeps this process alive nor outlives it', async () => {
    const script = `
      import { createTrial } from ${JSON.stringify(resolve('test/support/sandbox-trial.ts'))};
      const trial = createTrial();
      await trial.bubblewrap().prepare(trial.script('true'));
      console.log(trial.root);
      setTimeout(() => trial.remove(), 50);`;
    const said = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      encoding: 'utf8',
      timeout: 20_000,
    });
    expect(said.trim()).not.toBe('');
    await eventually(() => expect(processesWith(said.trim())).toEqual([]));
  });
});

test('what cannot be written as a line for a shell is started directly', async () => {
  const launch = { argv: ['true'], cwd: '/', env: {} };
  expect(canBecome(launch)).toBe(true);
  expect(canBecome({ ...launch, stdin: 'x' })).toBe(false);
  expect(canBecome({ ...launch, argv: ['true', 'x'.repeat(200_000)] })).toBe(false);
  expect(canBecome({ ...launch, env: { 'BASH_FUNC_x%%': '() { :; }' } })).toBe(false);
  await sandbox.prepare?.(trial.script('true'));
  const given = await sandbox.run(trial.script('cat', { stdin: 'read' }), trialOptions());
  expect(given.stdout.text).toBe('read');
});

/** Those that live, parents before their children. */
function descendants(parent = process.pid): number[] {
  const children = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && readStat(pid)?.parent === parent && readStat(pid)?.state !== 'Z');
  return children.flatMap((pid) => [pid, ...descendants(pid)]);
}
