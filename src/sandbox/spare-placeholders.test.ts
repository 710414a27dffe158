import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import fs, {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { readStat } from './end-tree.ts';
import { holdDirectory, placeholderIn } from './placeholders.ts';
import { createSparePlaceholders, isKept, removeKept, type SparePlaceholders } from './spare-placeholders.ts';

let base: string;
let spares: SparePlaceholders;
const path = (...names: string[]): string => join(base, ...names);
const leaseOf = (pid: number, id: string): string => `.lainclaw-${pid}-${readStat(pid)?.started ?? 0}-${id}`;
const MINE = leaseOf(process.pid, 'mine');

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'spare-'));
  mkdirSync(path('store'));
  mkdirSync(path('place', MINE), { recursive: true });
  let names = 0;
  spares = createSparePlaceholders({ store: path('store'), newName: () => leaseOf(process.pid, `kept${names++}`) });
});
afterEach(() => rmSync(base, { recursive: true }));

/** Another process, which lives. */
async function other(): Promise<ChildProcess> {
  const child = spawn('sleep', ['1000'], { stdio: 'ignore' });
  onTestFinished(() => void child.kill());
  await once(child, 'spawn');
  return child;
}

/** Does something right before a placeholder is moved out of its place. */
function beforeMove(act: () => void): void {
  const { renameSync } = fs;
  vi.spyOn(fs, 'renameSync').mockImplementation((from, to) => {
    if (isKept(String(to))) act();
    renameSync(from, to);
  });
  syncBuiltinESMExports();
  onTestFinished(() => {
    vi.restoreAllMocks();
    syncBuiltinESMExports();
  });
}

test('a placeholder that leaves is the next one that is needed, with the lease of its next run', () => {
  const { ino } = statSync(path('place'));
  expect(spares.keep(path('place'), MINE)).toBe(true);
  expect(readdirSync(base)).toEqual(['store']);
  expect(spares.reuse(path('elsewhere'), 'next')).toBe(true);
  expect([statSync(path('elsewhere')).ino, readdirSync(path('elsewhere'))]).toEqual([ino, ['next']]);
  expect(spares.reuse(path('more'), 'next')).toBe(false);
});

test.each(['.lainclaw-1-1-other', 'settings.json'])('one with %s in it stays as it is', (name) => {
  mkdirSync(path('place', name));
  expect(spares.keep(path('place'), MINE)).toBe(false);
  expect(readdirSync(path('place')).sort()).toEqual([MINE, name].sort());
  expect(readdirSync(path('store'))).toEqual([]);
});

test('one that cannot be moved stays as it is, and so does another directory in its place', () => {
  rmSync(path('store'), { recursive: true });
  expect(spares.keep(path('place'), MINE)).toBe(false);
  expect(readdirSync(path('place'))).toEqual([MINE]);
  rmSync(path('place', MINE), { recursive: true });
  expect(spares.keep(path('place'), MINE)).toBe(false);
  expect(readdirSync(path('place'))).toEqual([]);
});

test('what a person writes in the last moment is back in its place', () => {
  beforeMove(() => writeFileSync(path('place/settings.json'), 'mine'));
  expect(spares.keep(path('place'), MINE)).toBe(true);
  expect(readFileSync(path('place/settings.json'), 'utf8')).toBe('mine');
  expect(readdirSync(path('place'))).toEqual(['settings.json']);
});

test('a directory that a person puts in its place in the last moment is there again', () => {
  beforeMove(() => {
    rmSync(path('place'), { recursive: true });
    mkdirSync(path('place/mine'), { recursive: true });
  });
  spares.keep(path('place'), MINE);
  expect(readdirSync(path('place'))).toEqual(['mine']);
  expect(spares.reuse(path('elsewhere'), 'next')).toBe(false);
});

test('a run whose lease went with the placeholder takes one again in the place', () => {
  const parent = holdDirectory(base);
  onTestFinished(() => parent.release());
  let isFirst = true;
  const make = (lease: string): void => {
    mkdirSync(lease);
    // As another process does that has looked before this lease was made.
    if (isFirst) fs.renameSync(path('place'), path('store/moved'));
    isFirst = false;
  };
  expect(placeholderIn(parent, 'place', 'joined', { make, remove: async () => {} })?.lease).toBe('place/joined');
  expect([readdirSync(path('place')), readdirSync(path('store/moved')).sort()]).toEqual([['joined'], [MINE]]);
});

test('the lease of a run that was too late to join is not kept with the placeholder', () => {
  beforeMove(() => mkdirSync(path('place/.lainclaw-1-1-joining')));
  expect(spares.keep(path('place'), MINE)).toBe(true);
  expect(existsSync(path('place'))).toBe(false);
  spares.reuse(path('elsewhere'), 'next');
  expect(readdirSync(path('elsewhere'))).toEqual(['next']);
});

test('no run joins a placeholder that another process is about to move, and one joins when that process is gone', async () => {
  const leaving = await other();
  const mark = `${leaseOf(leaving.pid ?? 0, 'theirs')}.leaving`;
  rmSync(path('place', MINE), { recursive: true });
  mkdirSync(path('place', mark));
  const parent = holdDirectory(base);
  onTestFinished(() => parent.release());
  expect(() => placeholderIn(parent, 'place', MINE)).toThrow('try again');
  expect(readdirSync(path('place'))).toEqual([mark]);
  leaving.kill('SIGKILL');
  await once(leaving, 'exit');
  expect(placeholderIn(parent, 'place', MINE)?.lease).toBe(`place/${MINE}`);
});

test('what a person has in a kept one stays when it is removed', () => {
  expect(spares.keep(path('place'), MINE)).toBe(true);
  const [name = ''] = readdirSync(path('store'));
  expect(isKept(name)).toBe(true);
  writeFileSync(path('store', name, 'settings.json'), 'mine');
  removeKept(path('store', name));
  expect(readdirSync(path('store', name))).toEqual(['settings.json']);
});

test('closing leaves nothing', () => {
  spares.keep(path('place'), MINE);
  expect(readdirSync(path('store'))).toHaveLength(1);
  spares.close();
  expect(readdirSync(path('store'))).toEqual([]);
});
