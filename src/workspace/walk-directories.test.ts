import fs, { mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { createDirectoryWalker } from './walk-directories.ts';

const LEASE = '.lainclaw-12-34-lease-x';
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'repositories-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const find = createDirectoryWalker();
const repositories = async (): Promise<string[]> =>
  (await find(root, { signal: new AbortController().signal, now: Date.now })).repositories;

test('a placeholder of a sandbox is not a repository, and becomes one with anything of git in it', async () => {
  mkdirSync(join(root, 'sub/.git', LEASE), { recursive: true });
  expect(await repositories()).toEqual([]);
  writeFileSync(join(root, 'sub/.git/config'), '');
  expect(await repositories()).toEqual(['sub/.git']);
});

test('a file with the name of a lease makes no placeholder', async () => {
  mkdirSync(join(root, '.git'));
  writeFileSync(join(root, '.git', LEASE), '');
  expect(await repositories()).toEqual(['.git']);
});

test('what lies in a lease is found', async () => {
  mkdirSync(join(root, '.git', LEASE, 'inner/.git'), { recursive: true });
  expect(await repositories()).toEqual([`.git/${LEASE}/inner/.git`]);
});

test('what a sandbox keeps from every command is not entered, and a directory of the same name elsewhere is', async () => {
  const inner = (place: string): string => `${place}/${LEASE}/inner/.git`;
  for (const place of ['.git', 'sub/.git', 'sub']) mkdirSync(join(root, inner(place)), { recursive: true });
  const isOwn = (path: string): boolean => path === join(root, '.git', LEASE);
  const found = await find(root, { signal: new AbortController().signal, now: Date.now, isOwn });
  expect(found.repositories.sort()).toEqual([inner('sub'), inner('sub/.git')].sort());
  expect((await repositories()).sort()).toEqual([inner('.git'), inner('sub'), inner('sub/.git')].sort());
});

test('an empty directory named .git is a repository: a command could fill it', async () => {
  mkdirSync(join(root, '.git'));
  expect(await repositories()).toEqual(['.git']);
});

describe('the files of a workspace', () => {
  const listed = { most: 3, notBelow: new Set(['.git', 'node_modules']) };
  const options = { signal: new AbortController().signal, now: Date.now };
  const put = (path: string): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), '');
  };

  test('are listed but for those below packages, where repositories are found all the same', async () => {
    for (const path of ['a', 'sub/b', 'node_modules/x/c', 'node_modules/x/.git/config', 'sub/.git']) put(path);
    symlinkSync('a', join(root, 'link'));
    const { files, repositories, links } = await createDirectoryWalker({ files: listed })(root, options);
    expect([files?.sort(), repositories, links]).toEqual([
      ['a', 'sub/.git', 'sub/b'],
      ['node_modules/x/.git'],
      ['sub/.git'],
    ]);
    const alone = await createDirectoryWalker({ files: listed, onlyListed: true })(root, options);
    expect([alone.files?.length, alone.repositories]).toEqual([3, []]);
    expect((await find(root, options)).files).toBeUndefined();
  });

  test('are told as too many, and again once they are few enough', async () => {
    const walk = createDirectoryWalker({ files: listed });
    const later = { ...options, now: () => Date.now() + 1_000 };
    for (const path of ['a', 'one/b', 'two/c', 'two/d', 'two/.git/config']) put(path);
    for (let look = 0; look < 2; look += 1)
      expect(await walk(root, later)).toMatchObject({ files: undefined, repositories: ['two/.git'] });
    rmSync(join(root, 'a'));
    expect((await walk(root, later)).files).toEqual(['one/b', 'two/c', 'two/d']);
  });

  test('are none without a root', async () => {
    expect((await createDirectoryWalker({ files: listed })(join(root, 'gone'), options)).files).toBeUndefined();
  });

  test('are listed again where a directory changed, and every change is seen', async () => {
    const walk = createDirectoryWalker({ files: listed });
    let now = Date.now() + 1_000;
    const list = async (): Promise<string[] | undefined> => (await walk(root, { ...options, now: () => now })).files;
    put('sub/a');
    expect(await list()).toEqual(['sub/a']);
    const reading = vi.spyOn(fs, 'readdirSync');
    syncBuiltinESMExports();
    expect(await list()).toEqual(['sub/a']);
    const reads = reading.mock.calls.length;
    reading.mockRestore();
    syncBuiltinESMExports();
    expect(reads).toBe(0);
    for (let count = 0; count < 50; count += 1) {
      now = Date.now();
      put('sub/b');
      expect((await list())?.sort()).toEqual(['sub/a', 'sub/b']);
      renameSync(join(root, 'sub/b'), join(root, 'sub/c'));
      expect((await list())?.sort()).toEqual(['sub/a', 'sub/c']);
      rmSync(join(root, 'sub/c'));
      expect(await list()).toEqual(['sub/a']);
    }
    renameSync(join(root, 'sub'), join(root, 'aside'));
    mkdirSync(join(root, 'elsewhere'));
    symlinkSync('elsewhere', join(root, 'sub'));
    expect(await list()).toEqual(['aside/a']);
  });
});
