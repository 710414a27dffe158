import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createRepositoryFinder } from './find-repositories.ts';

const LEASE = '.lainclaw-12-34-lease-x';
let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'repositories-'));
});
afterEach(() => rmSync(root, { recursive: true }));

const find = createRepositoryFinder();
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
