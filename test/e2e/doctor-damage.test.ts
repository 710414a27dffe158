// Every kind of damage to every kind of file: doctor names it, and --fix repairs it.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it } from 'vitest';
import { checkHome } from '../../src/storage/local/check/check-home.ts';
import { DAMAGE, damageableFiles, fillHome, replaceOnDisk } from '../support/damage.ts';
import type { Home } from '../support/home.ts';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { seededRandom } from '../support/random.ts';
import { testHome } from '../support/test-home.ts';

const DAMAGES = 300;
const { signal } = new AbortController();

/** Picks a number below another, the same ones for the same seed. */
function picker(seed: number): (below: number) => number {
  const random = seededRandom(seed);
  return (below) => Math.floor(random() * below);
}

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
    const home = await fillHome(testHome());
    const files = damageableFiles(home);
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

    const pick = picker(20_261_116);
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
  }, 900_000);

  it('repairs damage with --fix: from the backup, from checksums, or by making a file again', async () => {
    const home = await fillHome(testHome());
    const texts = new Map(damageableFiles(home).map((path) => [path, readFileSync(join(home.path, path))]));
    const transcripts = [...texts.keys()].filter((path) => /^sessions\/.*\.jsonl$/.test(path));
    const pick = picker(7);
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

  it('puts databases back that were exchanged with each other', async () => {
    const home = await fillHome(testHome());
    const paths = ['sessions/sessions.db', 'lainclaw.db', 'undo/undo.db'].map((path) => join(home.path, path));
    const contents = paths.map((path) => readFileSync(path));
    for (const [index, path] of paths.entries()) writeFileSync(path, contents[(index + 1) % paths.length] ?? '');
    expect((await lainclaw(['doctor', '--fix'], { home })).json()).toMatchObject({ healthy: true });
    expect((await lainclaw(['memory', 'search', 'bridge'], { home })).stdout).toContain('over the river');
    expect((await lainclaw(['sessions', 'list'], { home })).json<unknown[]>()).toHaveLength(4);
    expect((await lainclaw(['undo', '--list'], { home })).code).toBe(0);
  });

  it.each(['core_memory.history.jsonl', 'spending/2026-11-16.jsonl'])(
    'names and puts back %s, exchanged with the record of sums that would tell',
    async (path) => {
      const home = await fillHome(testHome());
      const paths = [path, 'backups/home-sums.jsonl'];
      const [lines = '', sums = ''] = paths.map((each) => readFileSync(join(home.path, each), 'utf8'));
      replaceOnDisk(join(home.path, path), Buffer.from(sums));
      replaceOnDisk(join(home.path, 'backups/home-sums.jsonl'), Buffer.from(lines));
      const { findings } = await checkHome(home.path, signal);
      expect(findings.map((finding) => finding.path)).toEqual(expect.arrayContaining(paths));
      expect((await lainclaw(['doctor', '--fix'], { home })).json()).toMatchObject({ healthy: true });
      expect(readFileSync(join(home.path, path), 'utf8')).toBe(lines);
    },
  );

  it('makes no automatic backup of a damaged home, and keeps the sound ones', async () => {
    const home = await fillHome(testHome());
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
