// sessions.json beside the database: whatever is put and removed, in whatever order, it is whole JSON and says the same.
import { mkdtempSync, readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { SessionEntry } from '../../storage.ts';
import { createLocks } from '../locks.ts';
import { createTranscripts } from '../transcripts.ts';
import { createCatalogue, type LocalCatalogue } from './local-catalogue.ts';

let base: string;
let opened: LocalCatalogue[];
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lainclaw-index-file-'));
  opened = [];
});
afterEach(async () => {
  for (const each of opened) await each.close();
  rmSync(base, { recursive: true, force: true });
});

const pathIn = (directory: string): string => join(directory, 'sessions.json');
const indexIn = (directory: string): Record<string, SessionEntry> =>
  (JSON.parse(readFileSync(pathIn(directory), 'utf8')) as { sessions: Record<string, SessionEntry> }).sessions;

function open(directory: string): LocalCatalogue {
  const catalogue = createCatalogue({
    directory,
    locks: createLocks(join(base, 'locks')),
    transcripts: createTranscripts(directory),
    now: () => 42,
  });
  opened.push(catalogue);
  return catalogue;
}

const entry = (sessionKey: string, facts: Partial<SessionEntry> = {}): SessionEntry => ({
  sessionKey,
  sessionId: 'session-1',
  createdAt: '2026-01-01T00:00:00.000Z',
  updatedAt: '2026-01-01T00:00:00.000Z',
  ...facts,
});

const KEYS = ['a', 'b', '__proto__', '会话', 'with "quotes"\n'];
const step = fc.record({
  key: fc.constantFrom(...KEYS),
  // Longer than the room in a slot, and shorter again.
  profileId: fc.option(fc.string({ maxLength: 200, unit: 'binary' }), { nil: undefined }),
  isRemoved: fc.boolean(),
  door: fc.nat(1),
});

it('is true after every change, by whichever process', async () => {
  let run = 0;
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 30 }), async (steps) => {
      run += 1;
      const directory = join(base, String(run));
      const doors = [open(directory), open(directory)];
      const expected = new Map<string, SessionEntry>();
      for (const { key, profileId, isRemoved, door } of steps) {
        const one = JSON.parse(JSON.stringify(entry(key, { profileId }))) as SessionEntry;
        if (isRemoved) expect(await doors[door]?.remove(key)).toBe(expected.delete(key));
        else await doors[door]?.put(one);
        if (!isRemoved) expected.set(key, one);
        expect(new Map(Object.entries(indexIn(directory)))).toEqual(expected);
      }
      for (const door of doors) expect(await door.count()).toBe(expected.size);
    }),
    { numRuns: 25 },
  );
});

it('is written again when it is mostly blank', async () => {
  const catalogue = open(base);
  const keys = Array.from({ length: 600 }, (_, index) => `key-${index}`);
  await Promise.all(keys.map((key) => catalogue.put(entry(key))));
  const full = statSync(pathIn(base)).size;
  await Promise.all(keys.slice(1).map((key) => catalogue.remove(key)));
  expect(statSync(pathIn(base)).size).toBeLessThan(full / 2);
  expect(Object.keys(indexIn(base))).toEqual(['key-0']);
});

it('a put writes one entry, however many there are', async () => {
  const catalogue = open(base);
  await Promise.all(Array.from({ length: 2_000 }, (_, index) => catalogue.put(entry(`key-${index}`))));
  const { ino, size } = statSync(pathIn(base));
  await catalogue.put(entry('key-5', { updatedAt: '2026-02-01T00:00:00.000Z', compactedMessageCount: 12 }));
  // Neither replaced nor longer: overwritten in place.
  expect(statSync(pathIn(base))).toMatchObject({ ino, size });
  expect(indexIn(base)['key-5']).toMatchObject({ compactedMessageCount: 12 });
});

describe('changed by somebody else', () => {
  const later = '2026-03-01T00:00:00.000Z';

  /** As an earlier version replaces it, or an editor. */
  function write(sessions: Record<string, SessionEntry>): void {
    writeFileSync(pathIn(base), JSON.stringify({ version: 1, sessions }));
    utimesSync(pathIn(base), 1, 1);
  }

  it('it is taken over: new keys, later states, and changes of the same time', async () => {
    const catalogue = open(base);
    for (const key of ['a', 'b', 'c']) await catalogue.put(entry(key));
    const sessions = indexIn(base);
    write({
      ...sessions,
      a: entry('a', { updatedAt: later, sessionId: 'session-2' }),
      b: entry('b', { memoryEnabled: true }),
      d: entry('d'),
    });
    expect(await catalogue.get('a')).toMatchObject({ sessionId: 'session-2' });
    expect(await catalogue.get('b')).toMatchObject({ memoryEnabled: true });
    expect(await catalogue.count()).toBe(4);
    expect(Object.keys(indexIn(base)).toSorted()).toEqual(['a', 'b', 'c', 'd']);
  });

  it('what is older, or missing there, is not lost', async () => {
    const catalogue = open(base);
    await catalogue.put(entry('a', { updatedAt: later, sessionId: 'session-2' }));
    await catalogue.put(entry('b'));
    write({ a: entry('a') });
    await catalogue.put(entry('c'));
    expect(await catalogue.get('a')).toMatchObject({ sessionId: 'session-2' });
    expect(Object.keys(indexIn(base)).toSorted()).toEqual(['a', 'b', 'c']);
  });

  it('runs of `task` that an earlier version listed are left out', async () => {
    write({ main: entry('main'), 'task:session-20260101T000000-x:1': entry('task:session-20260101T000000-x:1') });
    expect((await open(base).list()).map(({ sessionKey }) => sessionKey)).toEqual(['main']);
    expect(Object.keys(indexIn(base))).toEqual(['main']);
  });
});

describe('the database', () => {
  it('keeps its log when it is closed, and the next one reads it', async () => {
    const first = open(base);
    await first.put(entry('a'));
    await first.close();
    expect(statSync(join(base, 'sessions.db-wal')).size).toBeGreaterThan(0);
    rmSync(pathIn(base));
    expect(await open(base).get('a')).toEqual(entry('a'));
  });

  it('that is gone is filled from sessions.json', async () => {
    const first = open(base);
    await first.put(entry('a', { provider: 'stub' }));
    await first.close();
    for (const suffix of ['', '-wal', '-shm']) rmSync(join(base, `sessions.db${suffix}`), { force: true });
    expect(await open(base).get('a')).toEqual(entry('a', { provider: 'stub' }));
  });

  it.each([
    [
      'is not one',
      () => Buffer.from('not a database at all, but long enough to have a header of one hundred bytes'.repeat(4)),
    ],
    ['was overwritten in the middle', (bytes: Buffer) => bytes.fill(0x5a, 200)],
  ])('that %s is kept aside and filled again', async (_name, damage) => {
    const first = open(base);
    await first.put(entry('a'));
    await first.close();
    const path = join(base, 'sessions.db');
    // Its log is carried over: it would repair the damage.
    const carrier = new DatabaseSync(path);
    carrier.exec('PRAGMA journal_mode = DELETE');
    carrier.close();
    const damaged = damage(readFileSync(path));
    writeFileSync(path, damaged);
    const rebuilt: string[] = [];
    const catalogue = createCatalogue({
      directory: base,
      locks: createLocks(join(base, 'locks')),
      transcripts: createTranscripts(base),
      now: () => 42,
      onRebuild: (aside) => rebuilt.push(aside),
    });
    opened.push(catalogue);
    await catalogue.put(entry('b'));
    expect(await catalogue.count()).toBe(2);
    expect(rebuilt).toEqual([`${path}.damaged-42`]);
    expect(readFileSync(`${path}.damaged-42`)).toEqual(damaged);
  });
});
