import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createLocks } from './locks.ts';
import { createOwnerFiles } from './owner-files.ts';

let home: string;
beforeEach(() => {
  home = join(mkdtempSync(join(tmpdir(), 'lainclaw-owner-files-')), 'home');
});
afterEach(() => rmSync(join(home, '..'), { recursive: true }));

const files = () => createOwnerFiles(home, createLocks(join(home, 'locks')));

it('a file in a folder of the home is made with it, both private', async () => {
  await files().update('service/state.json', (current) => {
    expect(current).toBeUndefined();
    return '{}';
  });
  expect(await files().read('service/state.json')).toBe('{}');
  const modes = ['service', 'service/state.json'].map((name) => (statSync(join(home, name)).mode & 0o777).toString(8));
  expect(modes).toEqual(['700', '600']);
});

it('undefined changes nothing, null removes', async () => {
  await files().update('a', () => undefined);
  expect(existsSync(join(home, 'a'))).toBe(false);
  await files().update('a', () => null);
  await files().update('a', () => 'text');
  await files().update('a', () => undefined);
  expect(await files().read('a')).toBe('text');
  await files().update('a', () => null);
  expect(await files().read('a')).toBeUndefined();
  expect(readdirSync(home)).toEqual(['locks']);
});

it('many changes at once lose nothing', async () => {
  const openers = [files(), files(), files()];
  await Promise.all(
    Array.from({ length: 60 }, (_, index) =>
      openers[index % 3]?.update('list', (current) => `${current ?? ''}${index},`),
    ),
  );
  const kept = ((await files().read('list')) ?? '').split(',').filter(Boolean).map(Number);
  expect(kept.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 60 }, (_, index) => index));
});
