// Backups through the command line: made while everything runs, restored elsewhere and over what is there, killed on the way.
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { runningGateway } from '../support/gateway-service.ts';
import type { Home } from '../support/home.ts';
import { ask, lainclaw, type RunOptions, startLainclaw } from '../support/lainclaw.ts';
import { createLocalGateway, type OutboxLine } from '../support/local-gateway.ts';
import { testHome } from '../support/test-home.ts';

interface Created {
  file: string;
  files: number;
  leftOut: { path: string }[];
}

async function run<T = Record<string, unknown>>(
  home: Home,
  args: string[],
  more: Partial<RunOptions> = {},
): Promise<T> {
  const finished = await lainclaw(args, { home, ...more });
  expect(finished.stderr + finished.stdout).not.toContain('INTERNAL');
  expect(finished.code, finished.stderr).toBe(0);
  return finished.json<T>();
}

async function refusal(home: Home, args: string[], more: Partial<RunOptions> = {}): Promise<unknown> {
  const finished = await lainclaw(args, { home, ...more });
  expect(finished.code).not.toBe(0);
  return finished.json<{ error: { code: string } }>().error.code;
}

async function livedIn(): Promise<Home> {
  const home = testHome();
  await ask(home, 'plant the roses');
  await ask(home, 'water the tulips', '--session', 'garden');
  await run(home, ['memory', 'save', 'The bridge over the river is old.']);
  await run(home, ['schedule', 'add', 'morning', '--cron', '0 8 * * *', '--message', 'what is new?']);
  await run(home, ['trust', 'add', home.workspace]);
  await run(home, ['permissions', 'add', 'bash(make)']);
  return home;
}

async function expectLivedIn(home: Home): Promise<void> {
  const sessions = await run<{ sessionKey: string }[]>(home, ['sessions', 'list']);
  expect(sessions.map(({ sessionKey }) => sessionKey).toSorted()).toEqual(['garden', 'main']);
  expect(await run(home, ['sessions', 'search', 'tulips'])).toMatchObject([{ sessionKey: 'garden' }]);
  expect(JSON.stringify(await run(home, ['memory', 'search', 'bridge']))).toContain('over the river');
  expect(JSON.stringify(await run(home, ['schedule', 'list']))).toContain('morning');
  expect(JSON.stringify(await run(home, ['permissions', 'list']))).toContain('bash(make)');
  expect(JSON.stringify(await run(home, ['trust', 'list']))).toContain('workspace');
}

describe('lainclaw backup and restore', () => {
  it('give back conversations, memory, schedules, trust and permissions in an empty home', async () => {
    const home = await livedIn();
    const { file } = await run<Created>(home, ['backup', '--output', join(home.base, 'a.backup')]);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(await run(home, ['backup', '--verify', file])).toMatchObject({ success: true, isEncrypted: false });
    const other = testHome();
    await run(other, ['restore', file], { cwd: home.workspace });
    await expectLivedIn(other);
    // The restored conversation continues.
    await ask(other, 'and the roses?');
    expect(other.messages('main').filter(({ role }) => role === 'user')).toHaveLength(2);
  });

  it('encrypt with a passphrase from standard input or a variable, and say when it is another one', async () => {
    const home = await livedIn();
    const file = join(home.base, 'a.backup');
    await run(home, ['backup', '--output', file, '--passphrase-stdin'], { stdin: 'sesame\n' });
    expect(readFileSync(file).includes('tulips')).toBe(false);
    const other = testHome();
    expect(await refusal(other, ['restore', file, '--passphrase-stdin'], { stdin: 'wrong' })).toBe(
      'BACKUP_WRONG_PASSPHRASE',
    );
    expect(await refusal(other, ['restore', file])).toBe('BACKUP_NO_PASSPHRASE');
    expect(await refusal(other, ['restore', file, '--passphrase-env', 'NOT_SET'])).toBe('USAGE');
    await run(other, ['restore', file, '--passphrase-env', 'WORDS'], { env: { WORDS: 'sesame' } });
    await expectLivedIn(other);
  });

  it('restore over a home only with --yes, and keep what was there', async () => {
    const home = await livedIn();
    const { file } = await run<Created>(home, ['backup', '--output', join(home.base, 'a.backup')]);
    await ask(home, 'said after the backup', '--session', 'later');
    expect(await refusal(home, ['restore', file])).toBe('BACKUP_HOME_NOT_EMPTY');
    const { setAside } = await run<{ setAside: string }>(home, ['restore', file, '--yes']);
    await expectLivedIn(home);
    expect(readFileSync(join(setAside, 'sessions', 'sessions.json'), 'utf8')).toContain('later');
    // The next backup does not hold the home of before.
    const again = await run<Created>(home, ['backup', '--output', join(home.base, 'b.backup')]);
    expect(again.leftOut.map(({ path }) => path)).toContain(setAside.slice(home.path.length + 1));
  });

  it('restore nothing from a file with a flipped byte, and repair nothing half', async () => {
    const home = await livedIn();
    const { file } = await run<Created>(home, ['backup', '--output', join(home.base, 'a.backup')]);
    const bytes = readFileSync(file);
    bytes[Math.floor(bytes.length / 2)] = (bytes[Math.floor(bytes.length / 2)] ?? 0) ^ 1;
    writeFileSync(file, bytes);
    expect(await refusal(home, ['backup', '--verify', file])).toBe('BACKUP_DAMAGED');
    expect(await refusal(home, ['restore', file, '--yes'])).toBe('BACKUP_DAMAGED');
    expect(readdirSync(home.path).filter((name) => /restore|replaced/.test(name))).toEqual([]);
    await expectLivedIn(home);
  });

  it('back up a home whose config.json cannot be read, and refuse wrong usage', async () => {
    const home = await livedIn();
    home.config('{ broken');
    await run(home, ['backup', '--output', join(home.base, 'a.backup')]);
    expect(await refusal(home, ['backup'])).toBe('USAGE');
    expect(await refusal(home, ['backup', '--output', join(home.base, 'nowhere', 'a')])).toBe('BACKUP_FAILED');
    expect(await refusal(home, ['backup', '--output', join(home.base, 'a.backup')])).toBe('BACKUP_EXISTS');
  });
});

describe('lainclaw restore of a part', () => {
  it('puts one conversation beside those that are there, under another key where its own is taken', async () => {
    const home = await livedIn();
    const { file } = await run<Created>(home, ['backup', '--output', join(home.base, 'a.backup')]);
    await ask(home, 'said after the backup', '--session', 'garden');
    const beside = await run<{ session: { sessionKey: string } }>(home, ['restore', file, '--session', 'garden']);
    expect(beside.session.sessionKey).toBe('garden-restored');
    const said = (key: string) => JSON.stringify(home.messages(key));
    expect(said('garden')).toContain('after the backup');
    expect(said('garden-restored')).toContain('tulips');
    expect(said('garden-restored')).not.toContain('after the backup');
    await run(home, ['sessions', 'delete', 'garden', '--yes']);
    const back = await run<{ session: { sessionKey: string } }>(home, ['restore', file, '--session', 'garden']);
    expect(back.session.sessionKey).toBe('garden');
    await ask(home, 'and now?', '--session', 'garden');
    expect(home.messages('garden').filter(({ role }) => role === 'user')).toHaveLength(2);
    expect(await refusal(home, ['restore', file, '--session', 'nobody'])).toBe('BACKUP_NOT_FOUND');
    expect(readdirSync(home.path).filter((name) => name.startsWith('.restore'))).toEqual([]);
  });

  it('prints or writes one file, and nothing of a damaged backup', async () => {
    const home = await livedIn();
    const { file } = await run<Created>(home, ['backup', '--output', join(home.base, 'a.backup')]);
    const printed = await lainclaw(['restore', file, '--path', 'permissions.json'], { home });
    expect(printed.stdout).toBe(readFileSync(join(home.path, 'permissions.json'), 'utf8'));
    const output = join(home.base, 'index.db');
    await run(home, ['restore', file, '--path', 'sessions/sessions.db', '--output', output]);
    expect(readFileSync(output).subarray(0, 15).toString()).toBe('SQLite format 3');
    expect(await refusal(home, ['restore', file, '--path', '../x'])).toBe('BACKUP_NOT_FOUND');
    expect(await refusal(home, ['restore', file, '--path', 'x', '--session', 'y'])).toBe('USAGE');
    const bytes = readFileSync(file);
    bytes[bytes.length - 1] = (bytes.at(-1) ?? 0) ^ 1;
    writeFileSync(file, bytes);
    const refused = await lainclaw(['restore', file, '--path', 'permissions.json', '--text'], { home });
    expect(refused).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('BACKUP_DAMAGED') });
    expect(await refusal(home, ['restore', file, '--session', 'garden'])).toBe('BACKUP_DAMAGED');
  });
});

describe('while a gateway runs', () => {
  it('a backup holds every message that was answered before, and a restore is refused', async () => {
    const { home, gateway } = await runningGateway('--pairing-allow-from=anna');
    const chat = createLocalGateway(home);
    mkdirSync(join(home.path, 'channels', 'local'), { recursive: true });
    const message = (number: number) => ({
      id: `m${number}`,
      chatId: 'anna',
      senderId: 'anna',
      text: `word${number}`,
    });
    // Several messages may be answered together: the last one is named in an answer.
    const answers = (count: number) => (lines: OutboxLine[]) => JSON.stringify(lines).includes(`word${count - 1}`);
    for (let number = 0; number < 5; number += 1) chat.write(message(number));
    await chat.until(answers(5), 60_000);
    const file = join(home.base, 'a.backup');
    const backingUp = run<Created>(home, ['backup', '--output', file]);
    for (let number = 5; number < 15; number += 1) chat.write(message(number));
    await backingUp;
    await chat.until(answers(15), 60_000);
    expect(await refusal(home, ['restore', file, '--yes'])).toBe('BACKUP_HOME_IN_USE');
    const other = testHome();
    await run(other, ['restore', file]);
    const sessions = await run<{ sessionKey: string }[]>(other, ['sessions', 'list']);
    const shown = await Promise.all(
      sessions.map(({ sessionKey }) => run(other, ['sessions', 'export', sessionKey, '--format', 'json'])),
    );
    for (let number = 0; number < 5; number += 1) expect(JSON.stringify(shown)).toContain(`word${number}`);
    await gateway(['stop']);
    await run(home, ['restore', file, '--yes']);
  });
});

describe('killed', () => {
  it('at any moment, a backup leaves no file under its name, or a whole one', async () => {
    const home = await livedIn();
    writeFileSync(join(home.path, 'large.bin'), Buffer.alloc(30_000_000, 1));
    const output = join(home.base, 'a.backup');
    for (const waitMs of [150, 250, 350, 450, 600, 800]) {
      const running = startLainclaw(['backup', '--output', output, '--force'], { home });
      await Promise.race([sleep(waitMs), running.ended]);
      running.kill('SIGKILL');
      await running.ended;
      if (existsSync(output)) await run(home, ['backup', '--verify', output]);
    }
    await run(home, ['backup', '--output', output, '--force']);
    expect(readdirSync(home.base).toSorted()).toEqual(['a.backup', 'home', 'workspace']);
  });

  it('at any moment, a restore leaves the home of before or the restored one', async () => {
    const home = await livedIn();
    writeFileSync(join(home.path, 'large.bin'), Buffer.alloc(10_000_000, 1));
    const { file } = await run<Created>(home, ['backup', '--output', join(home.base, 'a.backup')]);
    for (const waitMs of [150, 250, 350, 450, 600, 800]) {
      await ask(home, 'said after the backup', '--session', 'later');
      const running = startLainclaw(['restore', file, '--yes'], { home });
      await Promise.race([sleep(waitMs), running.ended]);
      running.kill('SIGKILL');
      await running.ended;
      const sessions = await run<{ sessionKey: string }[]>(home, ['sessions', 'list']);
      const keys = sessions.map(({ sessionKey }) => sessionKey).toSorted();
      expect([
        ['garden', 'main'],
        ['garden', 'later', 'main'],
      ]).toContainEqual(keys);
      expect(existsSync(join(home.path, '.restore', 'switch.json'))).toBe(false);
    }
    await run(home, ['restore', file, '--yes']);
    await expectLivedIn(home);
  });
});
