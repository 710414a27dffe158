import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, it, onTestFinished } from 'vitest';
import { isSameMark, markOf, readSmall } from './read-many.ts';

let base: string;
let root: string;

beforeEach(() => {
  base = realpathSync(mkdtempSync(join(tmpdir(), 'lainclaw-read-many-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  root = join(base, 'workspace');
  mkdirSync(join(root, 'sub'), { recursive: true });
  mkdirSync(join(base, 'outside'));
  writeFileSync(join(root, 'sub/a'), 'inside');
  writeFileSync(join(base, 'outside/a'), 'outside');
});

it('reads a file with its mode, and marks it as long as it is the same', () => {
  chmodSync(join(root, 'sub/a'), 0o750);
  const read = readSmall(root, 'sub/a', 100);
  expect(read).toMatchObject({ mode: 0o750 });
  expect(isSameMark(markOf(root, 'sub/a'), read?.mark)).toBe(true);
  expect(read?.bytes.toString()).toBe('inside');
  chmodSync(join(root, 'sub/a'), 0o755);
  expect(isSameMark(markOf(root, 'sub/a'), read?.mark)).toBe(false);
});

it('reads nothing that lies elsewhere, also where a directory was swapped for a link', () => {
  symlinkSync('../outside/a', join(root, 'link'));
  expect(readSmall(root, 'link', 100)).toBeUndefined();
  expect(readSmall(root, '../outside/a', 100)).toBeUndefined();
  renameSync(join(root, 'sub'), join(root, 'aside'));
  symlinkSync('../outside', join(root, 'sub'));
  expect(readSmall(root, 'sub/a', 100)).toBeUndefined();
});

it('reads nothing but regular files of the size that was agreed, and waits for none', () => {
  execFileSync('mkfifo', [join(root, 'pipe')]);
  for (const path of ['pipe', 'sub', 'nothing']) {
    expect(readSmall(root, path, 100), path).toBeUndefined();
    expect(markOf(root, path), path).toBeUndefined();
  }
  expect(readSmall(root, 'sub/a', 5)).toBeUndefined();
});
