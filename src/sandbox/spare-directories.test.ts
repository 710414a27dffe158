import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createSpareDirectories, type SpareDirectories } from './spare-directories.ts';

let base: string;
let spares: SpareDirectories;
const path = (...names: string[]): string => join(base, ...names);

beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'spare-'));
  mkdirSync(path('store'));
  mkdirSync(path('place'));
  const names = ['first', 'second', 'third'];
  spares = createSpareDirectories({ store: path('store'), newName: () => names.shift() ?? '' });
});
afterEach(() => rmSync(base, { recursive: true }));

test('a removed directory is the next one that is made', async () => {
  spares.make(path('place/one'));
  const { ino } = statSync(path('place/one'));
  await spares.remove(path('place/one'));
  expect(readdirSync(path('place'))).toEqual([]);
  spares.make(path('place/two'));
  expect(statSync(path('place/two')).ino).toBe(ino);
  expect(readdirSync(path('store'))).toEqual([]);
});

test('a directory with something in it stays', async () => {
  spares.make(path('place/one'));
  writeFileSync(path('place/one/mine'), '');
  await spares.remove(path('place/one'));
  expect(readdirSync(path('place/one'))).toEqual(['mine']);
});

test('where nothing can be kept, directories are made and removed', async () => {
  spares.make(path('place/one'));
  rmSync(path('store'), { recursive: true });
  await spares.remove(path('place/one'));
  expect(readdirSync(path('place'))).toEqual([]);
  spares.make(path('place/two'));
  expect(readdirSync(path('place'))).toEqual(['two']);
});

test('a spare directory that somebody removed is not missed', async () => {
  spares.make(path('place/one'));
  await spares.remove(path('place/one'));
  rmSync(path('store'), { recursive: true });
  spares.make(path('place/two'));
  expect(readdirSync(path('place'))).toEqual(['two']);
});

test('making one below a directory that is gone fails, as with mkdir', () => {
  expect(() => spares.make(path('gone/one'))).toThrow(expect.objectContaining({ code: 'ENOENT' }));
});

test('closing leaves nothing', async () => {
  spares.make(path('place/one'));
  await spares.remove(path('place/one'));
  expect(readdirSync(path('store'))).toHaveLength(1);
  await spares.close();
  expect(readdirSync(path('store'))).toEqual([]);
});
