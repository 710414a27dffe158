// Homes that cannot be used as they should: a clear message, the right exit code, earlier data intact.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { createHome, type Home } from '../support/home.ts';
import { homeProblems } from '../support/kill-harness.ts';
import { ask, type Finished, lainclaw, runBinary } from '../support/lainclaw.ts';
import { canMount, type Mount, mountTmpfs, unprivileged, unprivilegedUser } from '../support/mounts.ts';
import { afterFile, testHome } from '../support/test-home.ts';
import type { AcknowledgedTurn } from '../support/transcript-rules.ts';

function expectFailure({ code, stderr, json }: Finished, errorCode: string, words: RegExp): void {
  expect(code, stderr).toBe(1);
  expect(stderr).toMatch(new RegExp(`^error ${errorCode}: `, 'm'));
  expect(stderr).toMatch(words);
  expect(stderr).not.toMatch(/^ +at /m);
  expect(json()).toMatchObject({ success: false, error: { code: errorCode } });
}

describe.concurrent('a file where a directory is needed', () => {
  it.each(['', 'sessions', 'locks'])('at <home>/%s is named, with what to do', async (name) => {
    const home = testHome();
    const path = join(home.path, name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, 'mine');
    const finished = await lainclaw(['ask', 'hi'], { home });
    expectFailure(finished, 'STORAGE_NOT_A_DIRECTORY', /there is a file where a directory is needed/);
    expect(finished.stderr).toContain(path);
    expect(readFileSync(path, 'utf8')).toBe('mine');
  });

  it.each(['sessions/sessions.json', 'config.json'])('a directory at <home>/%s is named', async (name) => {
    const home = testHome();
    mkdirSync(join(home.path, name), { recursive: true });
    const { code, stderr } = await lainclaw(['ask', 'hi'], { home });
    expect(code).toBe(1);
    expect(stderr).toContain(join(home.path, name));
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it('below a home that lies behind a file, too', async () => {
    const home = testHome();
    writeFileSync(join(home.base, 'file'), '');
    const finished = await lainclaw(['ask', 'hi'], { home, env: { LAINCLAW_HOME: join(home.base, 'file', 'home') } });
    expectFailure(finished, 'STORAGE_NOT_A_DIRECTORY', /LAINCLAW_HOME/);
  });

  it.each(['ask hi', 'memory list', 'gateway start'])(
    'a home that no system lets anybody make is named: %s',
    async (line) => {
      const finished = await runBinary(line.split(' '), { home: testHome(), env: { LAINCLAW_HOME: '/proc/x' } });
      expect(finished.code, finished.stderr).toBe(1);
      expect(finished.stderr).toContain('cannot use /proc/x: no directory can be made there');
    },
  );

  it('a home that is a link to a directory is a home', async () => {
    const home = testHome();
    mkdirSync(join(home.base, 'real'), { mode: 0o700 });
    symlinkSync('real', home.path);
    await ask(home, 'hi');
    expect(readdirSync(join(home.base, 'real')).toSorted()).toEqual(['locks', 'sessions']);
  });
});

describe.concurrent('a home one may not write to', () => {
  it('is reported, and what is there can still be read', async () => {
    const home = usableByAnyone();
    await runBinary(['ask', 'hi'], { home, wrapper: unprivileged });
    const before = readFileSync(home.transcriptPath());
    const directories = [home.path, join(home.path, 'sessions'), join(home.path, 'locks')];
    for (const directory of directories) chmodSync(directory, 0o500);
    for (const file of [home.transcriptPath(), join(home.path, 'sessions', 'sessions.json')]) chmodSync(file, 0o400);
    for (const args of [
      ['ask', 'two'],
      ['ask', 'two', '--session', 'other'],
    ]) {
      expectFailure(
        await runBinary(args, { home, wrapper: unprivileged }),
        'STORAGE_NO_PERMISSION',
        /permission denied.*LAINCLAW_HOME/,
      );
    }
    expect(readFileSync(home.transcriptPath())).toEqual(before);
    const shown = await runBinary(['sessions', 'show', 'main'], { home, wrapper: unprivileged });
    expect(shown.json<{ messages: unknown[] }>().messages).toHaveLength(2);
    expect((await runBinary(['tools', 'list'], { home, wrapper: unprivileged })).code).toBe(0);
  });

  it('below a directory that one may not enter is reported', async () => {
    const home = usableByAnyone();
    mkdirSync(home.path, { mode: 0o700 });
    chmodSync(home.path, 0o000);
    const { code, stderr } = await runBinary(['ask', 'hi'], { home, wrapper: unprivileged });
    expect(code).toBe(1);
    expect(stderr).toMatch(/permission denied/i);
    expect(stderr).not.toMatch(/^ +at /m);
  });

  it.skipIf(!canMount)(
    'because the file system is read-only is reported, and what is there can still be read',
    async () => {
      const { home, mount, seen } = await mountedHome('size=4m');
      const run = (...args: string[]) => runBinary(args, { home, wrapper: mount.wrapper });
      await run('ask', 'one');
      const before = readFileSync(seen.transcriptPath());
      mount.remount('remount,ro');
      expectFailure(await run('ask', 'two'), 'STORAGE_READ_ONLY', /read-only.*LAINCLAW_HOME/);
      expectFailure(await run('ask', 'two', '--session', 'other'), 'STORAGE_READ_ONLY', /read-only.*LAINCLAW_HOME/);
      expect((await run('sessions', 'list')).json<unknown[]>()).toHaveLength(1);
      expect((await run('sessions', 'show', 'main')).json<{ messages: unknown[] }>().messages).toHaveLength(2);
      expect(readFileSync(seen.transcriptPath())).toEqual(before);
      mount.remount('remount,rw');
      expect((await run('ask', 'three')).code).toBe(0);
      expect(seen.messages()).toHaveLength(4);
    },
  );

  it.skipIf(!canMount)('because the file system is read-only: memory can still be searched', async () => {
    const { home, mount, seen } = await mountedHome('size=16m');
    const run = (...args: string[]) => runBinary(args, { home, wrapper: mount.wrapper });
    const expectFound = async (word: string, text: string): Promise<void> => {
      mount.remount('remount,ro');
      const found = await run('memory', 'search', word);
      expect(found.code, found.stderr).toBe(0);
      expect(found.stdout).toContain(text);
      expectRefusal(await run('memory', 'save', 'another'), 'STORAGE_READ_ONLY');
      expectRefusal(await run('schedule', 'add', 'daily', '--cron', '@daily', '--message', 'hi'), 'STORAGE_READ_ONLY');
      expect((await run('schedule', 'list')).json()).toMatchObject({ jobs: [] });
      mount.remount('remount,rw');
    };
    expect((await run('memory', 'save', 'The bicycle is blue.')).code).toBe(0);
    await expectFound('bicycle', 'The bicycle is blue.');
    // What another process keeps open stays in the write-ahead log, and outlives it there when it is killed.
    const killKeeper = await keepOpen(join(home.path, 'lainclaw.db'), mount);
    expect((await run('memory', 'save', 'The boat is green.')).code).toBe(0);
    await killKeeper();
    expect(statSync(join(seen.path, 'lainclaw.db-wal')).size).toBeGreaterThan(0);
    rmSync(join(seen.path, 'lainclaw.db-shm'));
    await expectFound('boat', 'The boat is green.');
  });

  it.skipIf(!canMount)('and was never used is reported as read-only too', async () => {
    const { home, mount } = await mountedHome('size=4m,ro');
    expectFailure(
      await runBinary(['ask', 'hi'], { home, wrapper: mount.wrapper }),
      'STORAGE_READ_ONLY',
      /read-only.*LAINCLAW_HOME/,
    );
  });

  it.skipIf(!canMount)('and was never used has no sessions, which is not an error', async () => {
    const { home, mount } = await mountedHome('size=4m,ro');
    const { code, stderr, json } = await runBinary(['sessions', 'list'], { home, wrapper: mount.wrapper });
    expect(code, stderr).toBe(0);
    expect(json()).toEqual([]);
  });
});

describe.concurrent('a full disk', () => {
  it.skipIf(!canMount)(
    'loses nothing acknowledged, wherever it strikes, and the session continues afterwards',
    async () => {
      const { home, mount, seen } = await mountedHome('size=256k');
      const acknowledged: AcknowledgedTurn[] = [];
      const filler = join(seen.path, 'filler');
      const failures = new Set<string>();
      const turn = async (sessionKey: string, input: string): Promise<boolean> => {
        const { code, stderr, json } = await runBinary(['ask', '--session', sessionKey, '--', input], {
          home,
          wrapper: mount.wrapper,
        });
        const result = json();
        if (!result.success) {
          expect({ code, error: result.error.code }, stderr).toEqual({ code: 1, error: 'STORAGE_FULL' });
          expect(stderr).toMatch(/the disk is full: free some space/);
          failures.add(result.error.message);
          return false;
        }
        expect(code).toBe(0);
        acknowledged.push({ sessionKey, sessionId: result.sessionId, input, result: result.result });
        return true;
      };

      expect(await turn('main', 'with room')).toBe(true);
      // Room in pages of 4 KiB: none for anything, then for the temporary index, then for the transcript as well.
      for (const [step, freeKib] of [0, 4, 8, 12, 16].entries()) {
        rmSync(filler, { force: true });
        fillExcept(seen, filler, freeKib);
        await turn('main', `full ${step} ${'x'.repeat(5_000)}`);
        await turn(`new-${step}`, `first of its session ${step}`);
        await turn('main', `tool:tools.echo {"step":${step}}`);
        expect(homeProblems(seen, acknowledged, { settled: false })).toEqual([]);
      }
      expect(failures.size).toBeGreaterThan(1);
      rmSync(filler);
      for (const key of new Set(acknowledged.map(({ sessionKey }) => sessionKey)))
        expect(await turn(key, `after, in ${key}`)).toBe(true);
      expect(homeProblems(seen, acknowledged, { settled: true })).toEqual([]);
      expect(readdirSync(join(seen.path, 'sessions')).filter((name) => name.startsWith('.'))).toEqual([]);
    },
  );

  it.skipIf(!canMount)('without room for another file is reported as well', async () => {
    const { home, mount, seen } = await mountedHome('size=4m,nr_inodes=24');
    const run = (...args: string[]) => runBinary(args, { home, wrapper: mount.wrapper });
    expect((await run('ask', 'one')).code).toBe(0);
    for (let number = 0; ; number += 1) {
      try {
        writeFileSync(join(seen.path, `filler-${number}`), '');
      } catch {
        break;
      }
    }
    // A session that exists needs no other file.
    expect((await run('ask', 'two')).code).toBe(0);
    const other = ['ask', 'three', '--session', 'other'];
    expectFailure(await run(...other), 'STORAGE_FULL', /the disk is full/);
    // Its lock and its transcript.
    for (const index of [0, 1]) rmSync(join(seen.path, `filler-${index}`));
    expect((await run(...other)).code).toBe(0);
    expect(seen.messages().map(({ content }) => content)).toEqual(expect.arrayContaining(['one', 'two']));
    expect(seen.messages('other').map(({ content }) => content)).toContain('three');
  });
});

describe.concurrent('a full disk under the databases', () => {
  it.skipIf(!canMount).each([
    ['no room', 'size=2m', 'the disk is full: free some space'],
    ['no room for another file', 'size=8m,nr_inodes=16', 'no room for another file'],
  ])('(%s) is named, and what was saved before is there once there is room', async (_, options, words) => {
    const { home, mount, seen } = await mountedHome(options);
    const run = (...args: string[]) => runBinary(args, { home, wrapper: mount.wrapper });
    expect((await run('memory', 'save', 'The bicycle is blue.')).code).toBe(0);
    const fillers: string[] = [];
    for (;;) {
      const filler = join(seen.path, `filler-${fillers.length}`);
      fillers.push(filler);
      try {
        writeFileSync(filler, options.includes('inodes') ? '' : Buffer.alloc(4_096));
      } catch {
        break;
      }
    }
    const commands = [
      ['memory', 'save', `The boat is green. ${'Long. '.repeat(20_000)}`],
      ['schedule', 'add', 'daily', '--cron', '@daily', '--message', 'hi'],
    ];
    for (const args of commands) {
      const refused = await run(...args);
      expectRefusal(refused, 'STORAGE_FULL');
      expect(refused.stderr).toContain(words);
      expect(refused.stderr).not.toMatch(/^ +at /m);
    }
    for (const filler of fillers) rmSync(filler, { force: true });
    expect((await run('memory', 'search', 'bicycle')).stdout).toContain('The bicycle is blue.');
    for (const args of commands) expect((await run(...args)).code).toBe(0);
  });
});

function expectRefusal({ code, stderr }: Finished, errorCode: string): void {
  expect(code, stderr).toBe(1);
  expect(stderr).toMatch(new RegExp(`^error ${errorCode}: `, 'm'));
}

describe.concurrent('no free file handles', () => {
  it('is reported as such, at whichever file it happens, and loses nothing', async () => {
    const home = testHome();
    const first = await ask(home, 'one');
    const acknowledged = [{ ...first, input: 'one' }];
    const outcomes = new Set<string>();
    const tooFew = 21;
    for (let limit = tooFew; limit < 36; limit += 1) {
      const input = `with ${limit} handles`;
      const wrapper = ['sh', '-c', `ulimit -n ${limit}; exec "$@"`, 'sh'];
      const finished = await runBinary(['ask', input], { home, wrapper });
      // Below that, Node itself cannot start.
      if (finished.stdout === '') continue;
      const result = finished.json();
      if (result.success) acknowledged.push({ ...result, input });
      else {
        expect(finished.stderr, String(limit)).toMatch(/too many open files/i);
        expect(finished.stderr).not.toMatch(/^ +at /m);
      }
      outcomes.add(result.success ? 'done' : result.error.code);
    }
    expect([...outcomes]).toEqual(expect.arrayContaining(['done', 'STORAGE_NO_HANDLES']));
    acknowledged.push({ ...(await ask(home, 'after')), input: 'after' });
    expect(homeProblems(home, acknowledged, { settled: true })).toEqual([]);
  });
});

describe.concurrent('file modes', () => {
  it.each(['000', '022', '077', '0777'])(
    'are 0700 for directories and 0600 for files under umask %s',
    async (umask) => {
      const home = usableByAnyone();
      home.file('a.txt', 'x'.repeat(50_000));
      const wrapper = [...unprivileged, 'sh', '-c', `umask ${umask}; exec "$@"`, 'sh'];
      for (const input of ['hi', 'tool:fs.read_file {"path":"a.txt"}', 'again']) {
        const { code, stderr } = await runBinary(['ask', input], { home, wrapper });
        expect(code, stderr).toBe(0);
      }
      const modes = everythingIn(home.path).map((path) => {
        const stats = statSync(path);
        return [path.slice(home.base.length), (stats.mode & 0o7777).toString(8), stats.isDirectory() ? '700' : '600'];
      });
      expect(modes.length).toBeGreaterThan(8);
      for (const [path, mode, expected] of modes) expect(mode, path).toBe(expected);
    },
  );
});

/** A home in a place that a user without privileges may write to. */
function usableByAnyone(): Home {
  const home = testHome();
  for (const path of [home.base, home.workspace]) {
    chownSync(path, unprivilegedUser, process.getgid?.() ?? 0);
    chmodSync(path, 0o755);
  }
  afterFile(() => {
    for (const path of home.exists() ? [home.path] : []) chmodSync(path, 0o700);
  });
  return home;
}

/** A home on a file system of its own; `seen` is the same one as this process can see it. */
async function mountedHome(options: string): Promise<{ home: Home; mount: Mount; seen: Home }> {
  const home = testHome();
  mkdirSync(home.path);
  const mount = await mountTmpfs(home.path, options);
  afterFile(() => mount.close());
  return { home, mount, seen: createHome({ at: mount.outside(home.base) }) };
}

/** A process that has the database open; the result kills it. */
async function keepOpen(path: string, { wrapper }: Mount): Promise<() => Promise<void>> {
  const script = `const db = new (require('node:sqlite').DatabaseSync)(process.argv[1]);
    db.prepare('SELECT count(*) FROM sqlite_schema').get();
    console.log('open'); setInterval(() => {}, 1000)`;
  const [program = '', ...args] = [...wrapper, process.execPath, '-e', script, path];
  const keeper = spawn(program, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  await once(keeper.stdout, 'data');
  return async () => {
    const gone = once(keeper, 'exit');
    keeper.kill('SIGKILL');
    await gone;
  };
}

/** Takes all room of the file system but so much. */
function fillExcept(home: Home, path: string, freeKib: number): void {
  const page = Buffer.alloc(4_096, 1);
  let pages = 0;
  try {
    for (;;) {
      writeFileSync(path, page, { flag: 'a' });
      pages += 1;
    }
  } catch {
    // Full.
  }
  rmSync(path);
  const wanted = Math.max(0, pages - freeKib / 4);
  writeFileSync(path, Buffer.alloc(wanted * page.length, 1));
  expect(statSync(path).size, home.path).toBe(wanted * page.length);
}

function everythingIn(directory: string): string[] {
  const below = readdirSync(directory, { recursive: true, encoding: 'utf8' });
  return [directory, ...below.map((name) => join(directory, name))];
}
