// Every kind of damage to every kind of file: doctor names it, and --fix repairs it.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { checkHome } from '../../src/storage/local/check/check-home.ts';
import { createSpending } from '../../src/storage/local/spending.ts';
import type { Home } from '../support/home.ts';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

const DAMAGES = 300;
const { signal } = new AbortController();

/** A home with at least one file of every kind, and a backup of it. */
async function filledHome(): Promise<Home> {
  const home = testHome();
  const run = async (...args: string[]): Promise<void> => {
    const finished = await lainclaw(args, { home });
    expect(finished.code, finished.stderr + finished.stdout).toBe(0);
  };
  for (const word of ['roses', 'tulips', 'oaks']) await ask(home, `plant the ${word}`, '--session', word, '--memory');
  await ask(home, 'tool:time.now');
  await run('memory', 'save', 'The bridge over the river is old.');
  await run('memory', 'core', 'set', 'user', 'city', 'Riga');
  await run('schedule', 'add', 'morning', '--cron', '0 8 * * *', '--message', 'what is new?');
  await run('trust', 'add', home.workspace);
  await run('permissions', 'add', 'bash(make)');
  await run('config', 'set', 'language', 'en');
  await run('tools', 'invoke', 'file_write', '--args', '{"path":"a.txt","content":"hello"}', '--mode', 'auto');
  await createSpending(join(home.path, 'spending')).add('2026-11-16', { tokens: 12, costUsd: 0.5 });
  for (const [path, text] of Object.entries({
    'SOUL.md': 'Be brief.\n',
    'memory/roses.md': '# Summary\n\nRoses were planted.\n',
    'commands/greet.md': 'Greet $ARGUMENTS\n',
    'outputs/session-1/call-1.txt': 'a long output\n'.repeat(20),
  })) {
    mkdirSync(dirname(join(home.path, path)), { recursive: true, mode: 0o700 });
    writeFileSync(join(home.path, path), text, { mode: 0o600 });
  }
  await run('backup', '--automatic');
  return home;
}

function filesOf(home: Home): string[] {
  return readdirSync(home.path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && !/\.db-(?:shm|wal)$|\.lock$/.test(entry.name))
    .map((entry) => join(entry.parentPath, entry.name).slice(home.path.length + 1))
    .filter((path) => !path.startsWith('sandbox/') && statSync(join(home.path, path)).size > 0)
    .toSorted();
}

/** A generator that gives the same numbers for the same seed. */
function numbers(seed: number): (below: number) => number {
  let state = seed;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

type Damage = (path: string, pick: (below: number) => number) => void;

/** As a disk does it: the time of the file stays. */
function onDisk(change: (bytes: Buffer, pick: (below: number) => number) => Buffer): Damage {
  return (path, pick) => {
    execFileSync('cp', ['-a', path, `${path}.before`]);
    writeFileSync(path, change(readFileSync(path), pick));
    execFileSync('touch', ['-r', `${path}.before`, path]);
    rmSync(`${path}.before`);
  };
}

const DAMAGE: Record<string, Damage> = {
  'a flipped bit': onDisk((bytes, pick) => {
    const at = pick(bytes.length);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << pick(8));
    return bytes;
  }),
  'a truncation': onDisk((bytes, pick) => bytes.subarray(0, pick(bytes.length))),
  'a stretch of zeros': onDisk((bytes, pick) => bytes.fill(0, pick(bytes.length))),
  emptying: onDisk((bytes) => bytes.subarray(0, 0)),
  deletion: (path) => rmSync(path),
  'open permissions': (path) => chmodSync(path, 0o644),
  'no permissions': (path) => chmodSync(path, 0o000),
  'a newer version': (path) => {
    if (path.endsWith('.db')) {
      const database = new DatabaseSync(path);
      database.exec('PRAGMA user_version = 999');
      database.close();
    } else if (path.endsWith('.json') && !path.endsWith('audit-head.json'))
      writeFileSync(path, JSON.stringify({ ...JSON.parse(readFileSync(path, 'utf8')), version: 999 }));
    else chmodSync(path, 0o666);
  },
};

function changeText(path: string, from: string, to: string): void {
  const text = readFileSync(path, 'utf8');
  expect(text).toContain(from);
  writeFileSync(path, text.replace(from, to));
}

function changeEntry(home: Home, from: string, to: string): void {
  const database = new DatabaseSync(join(home.path, 'sessions/sessions.db'));
  const { changes } = database.prepare('UPDATE sessions SET entry = replace(entry, ?, ?)').run(from, to);
  database.close();
  expect(changes).toBe(1);
}

describe('lainclaw doctor', () => {
  it(`names each of ${DAMAGES} damages of a filled home, and nothing in a sound one`, async () => {
    const home = await filledHome();
    const files = filesOf(home);
    const sound = join(home.base, 'sound');
    // With its exact times.
    execFileSync('cp', ['-a', home.path, sound]);
    /** A database with whatever SQLite left beside it. */
    const putBack = (path: string): void => {
      const names = path.endsWith('.db') ? ['', '-wal', '-shm'].map((end) => `${path}${end}`) : [path];
      for (const name of names) rmSync(join(home.path, name), { force: true });
      for (const name of names.filter((each) => existsSync(join(sound, each))))
        execFileSync('cp', ['-a', join(sound, name), join(home.path, name)]);
    };
    expect((await checkHome(home.path, signal)).findings).toEqual([]);

    const pick = numbers(20_261_116);
    const kinds = Object.keys(DAMAGE);
    const unnamed: string[] = [];
    const seen = new Set<string>();
    for (let number = 0; number < DAMAGES; number += 1) {
      const path = files[number % files.length] ?? '';
      const kind = kinds[pick(kinds.length)] ?? '';
      seen.add(path.replace(/[\w-]*\d[\w-]*/g, '#'));
      DAMAGE[kind]?.(join(home.path, path), pick);
      const { findings } = await checkHome(home.path, signal);
      if (!findings.some((finding) => finding.path === path)) unnamed.push(`${kind} of ${path}`);
      putBack(path);
    }
    expect(unnamed).toEqual([]);
    expect([...seen]).toEqual(
      expect.arrayContaining(['lainclaw.db', 'sessions/#.jsonl', 'undo/undo.db', 'trust.json']),
    );
  });

  it('repairs damage with --fix: from the backup, from checksums, or by making a file again', async () => {
    const home = await filledHome();
    const texts = new Map(filesOf(home).map((path) => [path, readFileSync(join(home.path, path))]));
    const transcripts = [...texts.keys()].filter((path) => /^sessions\/.*\.jsonl$/.test(path));
    const pick = numbers(7);
    const [flipped = '', cut = '', deleted = ''] = transcripts;
    DAMAGE['a flipped bit']?.(join(home.path, flipped), pick);
    DAMAGE['a truncation']?.(join(home.path, cut), pick);
    rmSync(join(home.path, deleted));
    DAMAGE['a stretch of zeros']?.(join(home.path, 'lainclaw.db'), pick);
    DAMAGE['a flipped bit']?.(join(home.path, 'memory/roses.md'), pick);
    DAMAGE['a truncation']?.(join(home.path, 'permissions.json'), pick);
    writeFileSync(join(home.path, 'sessions/sessions.db'), 'no database');
    chmodSync(join(home.path, 'trust.json'), 0o000);
    const before = await lainclaw(['doctor'], { home });
    expect(before.code).toBe(1);
    const fixed = await lainclaw(['doctor', '--fix'], { home });
    expect(fixed.json(), fixed.stderr).toMatchObject({ healthy: true, left: [] });
    for (const path of [...transcripts, 'memory/roses.md', 'permissions.json', 'trust.json'])
      expect(readFileSync(join(home.path, path)).equals(texts.get(path) ?? Buffer.alloc(0)), path).toBe(true);
    const found = await lainclaw(['memory', 'search', 'bridge'], { home });
    expect(found.stdout).toContain('over the river');
    expect((await lainclaw(['sessions', 'list'], { home })).json<unknown[]>()).toHaveLength(4);
    expect((await lainclaw(['doctor'], { home })).json<{ healthy: boolean }>().healthy).toBe(true);
    expect(readdirSync(home.path).filter((name) => name.startsWith('damaged-'))).toHaveLength(1);
  });

  it('finds nothing after sessions were forked, renamed, renewed, deleted, and the home was restored', async () => {
    const home = testHome();
    await ask(home, 'one');
    await ask(home, 'two', '--session', 'a');
    const file = join(home.base, 'a.backup');
    for (const args of [
      ['sessions', 'fork', 'a'],
      ['sessions', 'rename', 'a', 'a title'],
      ['sessions', 'search', 'two'],
      ['backup', '--automatic'],
      ['ask', 'three', '--session', 'a', '--new-session'],
      ['sessions', 'delete', 'main', '--yes'],
      ['backup', '--output', file],
      ['restore', file, '--yes'],
    ])
      expect((await lainclaw(args, { home })).code, args.join(' ')).toBe(0);
    expect((await checkHome(home.path, signal)).findings).toEqual([]);
  });

  it('finds no damage in homes that earlier versions have left', async () => {
    const homes = join(import.meta.dirname, '..', 'fixtures', 'homes');
    for (const name of readdirSync(homes).filter((each) => statSync(join(homes, each)).isDirectory())) {
      const copy = join(testHome().base, name);
      execFileSync('cp', ['-r', join(homes, name), copy]);
      execFileSync('chmod', ['-R', 'go-rwx', copy]);
      const { findings } = await checkHome(copy, signal);
      expect(
        findings.filter(({ state }) => state === 'problem'),
        name,
      ).toEqual([]);
    }
  });

  it('corrects a flipped byte of a transcript without any backup', async () => {
    const home = testHome();
    await ask(home, 'the bridge is old');
    await ask(home, 'the river is wide');
    const path = home.transcriptPath();
    const written = readFileSync(path);
    for (const at of [3, written.indexOf('bridge') + 2, written.indexOf(0x0a), written.length - 40]) {
      const damaged = Buffer.from(written);
      damaged[at] = (damaged[at] ?? 0) ^ 0x04;
      writeFileSync(path, damaged);
      const { checks } = (await lainclaw(['doctor'], { home })).json<{ checks: { name: string; state: string }[] }>();
      expect(checks.filter(({ name, state }) => name === 'files' && state !== 'ok')).not.toEqual([]);
      expect((await lainclaw(['doctor', '--fix'], { home })).json()).toMatchObject({ healthy: true });
      expect(readFileSync(path).equals(written), String(at)).toBe(true);
    }
  });

  it.each<[string, (home: Home) => void]>([
    [
      'a time in sessions.json',
      (home) => changeText(join(home.path, 'sessions/sessions.json'), '"updatedAt": "2', '"updatedAt": "r'),
    ],
    [
      'a later time in sessions.json',
      (home) => changeText(join(home.path, 'sessions/sessions.json'), '"updatedAt": "2', '"updatedAt": "9'),
    ],
    [
      'a session id in sessions.json',
      (home) =>
        changeText(join(home.path, 'sessions/sessions.json'), '"sessionId": "session-2', '"sessionId": "session-9'),
    ],
    ['a time in sessions.db', (home) => changeEntry(home, '"updatedAt":"2', '"updatedAt":"r')],
    ['a session id in sessions.db', (home) => changeEntry(home, '"sessionId":"s', '"sessionId":"/')],
  ])('finds a damaged entry of the index (%s) and makes it again', async (_name, damage) => {
    const home = testHome();
    await ask(home, 'one');
    const before = home.entry();
    damage(home);
    const { findings } = await checkHome(home.path, signal);
    expect(findings).not.toEqual([]);
    expect((await lainclaw(['doctor', '--fix'], { home })).json()).toMatchObject({ healthy: true });
    expect((await ask(home, 'two')).sessionId).toBe(before.sessionId);
    expect(home.entry()).toEqual({ ...before, updatedAt: home.entry().updatedAt });
    expect(home.entry().updatedAt).toMatch(/^2\d{3}-/);
    expect((await checkHome(home.path, signal)).findings).toEqual([]);
  });

  it('makes no automatic backup of a damaged home, and keeps the sound ones', async () => {
    const home = await filledHome();
    DAMAGE['a stretch of zeros']?.(join(home.path, 'permissions.json'), () => 0);
    const refused = await lainclaw(['backup', '--automatic'], { home });
    expect(refused.json()).toMatchObject({ success: false, error: { code: 'BACKUP_HOME_DAMAGED' } });
    expect(readdirSync(join(home.path, 'backups')).filter((name) => name.endsWith('.backup'))).toHaveLength(1);
  });

  it('keeps as many automatic backups as the setting says', async () => {
    const home = testHome();
    await ask(home, 'hello');
    await lainclaw(['config', 'set', 'backups', '2'], { home });
    for (let day = 1; day <= 4; day += 1) {
      const now = (): number => Date.UTC(2030, 0, day);
      const made = await lainclaw(['backup', '--automatic', '--if-older-than', '20'], { home, now });
      expect(made.json()).toMatchObject({ made: true });
      const again = await lainclaw(['backup', '--automatic', '--if-older-than', '20'], { home, now });
      expect(again.json()).toMatchObject({ made: false });
    }
    const names = readdirSync(join(home.path, 'backups')).filter((name) => name.endsWith('.backup'));
    expect(names.toSorted()).toEqual(['automatic-20300103T000000Z.backup', 'automatic-20300104T000000Z.backup']);
  });
});
