// The ways the program is started: by its launcher, by a link to it, by the bundle itself, and on a Node too old for it.
import { cpSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createLocks } from '../../src/storage/local/locks.ts';
import type { Home } from '../support/home.ts';
import { BINARY, type Finished, runBinary, startTerminal } from '../support/lainclaw.ts';
import { afterFile, testHome } from '../support/test-home.ts';

const PACKAGE = dirname(dirname(BINARY));

/** Runs another entry than the launcher: `sh` drops the launcher's path from the command. */
const insteadOfLauncher = (entry: string): string[] => [
  'sh',
  '-c',
  'node="$1"; shift 2; exec "$node" "$ENTRY" "$@"',
  entry,
];

function runEntry(home: Home, entry: string, ...args: string[]): Promise<Finished> {
  return runBinary(args, { home, wrapper: insteadOfLauncher(entry), env: { ENTRY: entry } });
}

/** Makes Node believe to be old, until the launcher has handed over. */
function oldNode(home: Home): Record<string, string> {
  const pretence = home.file(
    'old-node.cjs',
    `if (!process.env.LAINCLAW_REEXECUTED) Object.defineProperty(process.versions, 'node', { value: '20.11.1' });`,
  );
  return { NODE_OPTIONS: `--require ${pretence}` };
}

describe.concurrent('started', () => {
  it('as the bundle itself, it is the same program', async () => {
    const home = testHome();
    const { code, json } = await runEntry(home, join(PACKAGE, 'dist', 'index.js'), 'ask', 'hi');
    expect({ code, success: json().success }).toEqual({ code: 0, success: true });
  });

  it('through a link in another directory, as npm makes it', async () => {
    const home = testHome();
    mkdirSync(join(home.base, 'bin'));
    symlinkSync(BINARY, join(home.base, 'bin', 'lainclaw'));
    expect((await runEntry(home, join(home.base, 'bin', 'lainclaw'), '--version')).stdout).toMatch(/^\d+\.\d+\.\d+\n$/);
  });

  it('on Node 22, it prints no warning of Node’s about SQLite, and every other', async () => {
    const home = testHome();
    const pretence = home.file(
      'node-22.cjs',
      `Object.defineProperty(process.versions, 'node', { value: '22.19.0' });
       setTimeout(() => {
         process.emitWarning('SQLite is an experimental feature', 'ExperimentalWarning');
         process.emitWarning('the other one', 'ExperimentalWarning');
       }, 0);`,
    );
    const { code, stderr } = await runBinary(['--version'], { home, env: { NODE_OPTIONS: `--require ${pretence}` } });
    expect(code).toBe(0);
    expect(stderr).toContain('the other one');
    expect(stderr).not.toContain('SQLite');
  });

  it('before it is built, it says how to build it', async () => {
    const home = testHome();
    cpSync(dirname(BINARY), join(home.base, 'bin'), { recursive: true });
    const { code, stdout, stderr } = await runEntry(home, join(home.base, 'bin', 'lainclaw.js'), 'ask', 'hi');
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^lainclaw is not built yet: run "npm run build".*\n$/);
  });
});

describe.concurrent('the compiled code that is kept beside the program', () => {
  /** A copy of the program that has kept nothing yet. */
  function copyProgram(home: Home): { launcher: string; dist: string; kept: string } {
    const dist = join(home.base, 'program', 'dist');
    cpSync(dirname(BINARY), join(home.base, 'program', 'bin'), { recursive: true });
    cpSync(join(PACKAGE, 'dist'), dist, { recursive: true, filter: (path) => !path.includes('.compile-cache') });
    const kept = join(dist, '.compile-cache', `${process.version}-${process.arch}`);
    return { launcher: join(home.base, 'program', 'bin', 'lainclaw.js'), dist, kept };
  }

  it('is kept for each command that succeeded, and for no other word', async () => {
    const home = testHome();
    const { launcher, kept } = copyProgram(home);
    expect((await runEntry(home, launcher, 'ask', 'hi')).code).toBe(0);
    expect((await runEntry(home, launcher, 'nonsense')).code).toBe(2);
    expect(readdirSync(kept)).toEqual(['ask']);
    expect(readdirSync(join(kept, 'ask'))).toEqual(expect.arrayContaining(['cli.js', 'index.js']));
  });

  it('is compiled again where it is damaged or cut short', async () => {
    const home = testHome();
    const { launcher, kept } = copyProgram(home);
    await runEntry(home, launcher, 'ask', 'hi');
    const file = join(kept, 'ask', 'cli.js');
    const whole = readFileSync(file);
    const damaged = Buffer.from(whole);
    damaged.fill(0x55, 5_000, 9_000);
    for (const bytes of [damaged, whole.subarray(0, 1_001), Buffer.alloc(0)]) {
      writeFileSync(file, bytes);
      const { code, json } = await runEntry(home, launcher, 'ask', 'hi');
      expect({ code, success: json().success }).toEqual({ code: 0, success: true });
      expect(readFileSync(file)).not.toEqual(bytes);
    }
  });

  it('is not used for a program that was changed', async () => {
    const home = testHome();
    const { launcher, dist } = copyProgram(home);
    const before = await runEntry(home, launcher, '--help');
    expect(before.stdout).toContain('Chat in this terminal');
    const program = readFileSync(join(dist, 'cli.js'), 'utf8');
    writeFileSync(join(dist, 'cli.js'), program.replace('Chat in this terminal', 'Talk in this terminal'));
    expect((await runEntry(home, launcher, '--help')).stdout).toContain('Talk in this terminal');
  });
});

describe.concurrent('started by an old Node', () => {
  it('continues with the Node it brought along: output, input, exit code', async () => {
    const home = testHome();
    const env = oldNode(home);
    const asked = await runBinary(['ask', '-'], { home, env, stdin: 'from stdin' });
    expect(asked).toMatchObject({ code: 0, stderr: '' });
    expect(asked.json()).toMatchObject({ success: true });
    expect(home.messages()[0]?.content).toBe('from stdin');
    expect((await runBinary(['ask', '--provider', 'nope', 'hi'], { home, env })).code).toBe(2);
  });

  it('continues at a terminal too, where Ctrl-C reaches the one that works', async () => {
    const home = testHome();
    const env = oldNode(home);
    const lock = await createLocks(join(home.path, 'locks')).acquire('session:main');
    afterFile(() => lock.release());
    const running = startTerminal(['ask', 'hi'], { home, env });
    await running.saw('waiting for it');
    await running.write('\u0003');
    const { code, stdout } = await running.ended;
    expect(code).toBe(130);
    expect(stdout).toContain('CANCELLED');
  });

  it('says in one line what to install when it brought none', async () => {
    const home = testHome();
    cpSync(dirname(BINARY), join(home.base, 'bin'), { recursive: true });
    writeFileSync(join(home.base, 'package.json'), '{}');
    const entry = join(home.base, 'bin', 'lainclaw.js');
    const { code, stdout, stderr } = await runBinary(['ask', 'hi'], {
      home,
      wrapper: insteadOfLauncher(entry),
      env: { ...oldNode(home), ENTRY: entry },
    });
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/^lainclaw needs Node \d+\.\d+ or newer \(this is 20\.11\.1\): .*\n$/);
  });
});
