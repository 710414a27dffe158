import { mkdirSync, readFileSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createYard, type Yard } from '../../test/workspace-race/yard.ts';
import { createWorkspace } from './confined.ts';
import { createFileAccess } from './file-access.ts';

let yard: Yard;
let files: ReturnType<typeof createFileAccess>;
beforeEach(async () => {
  yard = createYard();
  yard.write('ws/a.txt', 'a');
  files = createFileAccess(await createWorkspace({ root: yard.root }), 100);
});
afterEach(() => yard.remove());

const path = (name: string): string => `${yard.root}/${name}`;

it('reads a whole file with its mode, and knows when there is none', async () => {
  expect(await files.read('a.txt')).toMatchObject({ path: 'a.txt', bytes: Buffer.from('a'), mode: 0o644 });
  expect(await files.read('missing')).toBeUndefined();
  expect(await files.read('missing/deeper')).toBeUndefined();
});

it('refuses what is not a file of that name: a directory, a link, too much', async () => {
  mkdirSync(path('dir'));
  symlinkSync('a.txt', path('link'));
  symlinkSync('.', path('dir/up'));
  yard.write('ws/dir/b', 'b');
  writeFileSync(path('large'), 'x'.repeat(101));
  await expect(files.read('dir')).rejects.toMatchObject({ code: 'not_a_file' });
  await expect(files.read('link')).rejects.toMatchObject({ code: 'changed' });
  await expect(files.read('dir/up/b')).rejects.toMatchObject({ code: 'changed' });
  await expect(files.read('large')).rejects.toMatchObject({
    code: 'too_large',
    message: 'large has 101 bytes, over the limit of 100',
  });
});

it('writes with mode and directories, only over what was expected', async () => {
  const state = { bytes: Buffer.from('new'), mode: 0o750 };
  await files.write('x/y', state, undefined, 'undo-1');
  expect(statSync(path('x/y')).mode & 0o777).toBe(0o750);
  await expect(files.write('a.txt', state, undefined, 'undo-1')).rejects.toMatchObject({ code: 'changed' });
  const current = await files.read('a.txt');
  writeFileSync(path('a.txt'), 'by hand');
  await expect(files.write('a.txt', state, current, 'undo-1')).rejects.toMatchObject({ code: 'changed' });
  if (current) await expect(files.remove('a.txt', current)).rejects.toMatchObject({ code: 'changed' });
  expect(readFileSync(path('a.txt'), 'utf8')).toBe('by hand');
  await files.write('a.txt', state, await files.read('a.txt'), 'undo-1');
  expect(readFileSync(path('a.txt'), 'utf8')).toBe('new');
});

it('removes a file, and a directory when nothing is in it', async () => {
  yard.write('ws/d/f', 'f');
  await expect(files.removeEmptyDirectory('d')).rejects.toMatchObject({ code: 'changed' });
  const file = await files.read('d/f');
  if (file) await files.remove('d/f', file);
  await files.removeEmptyDirectory('d');
  rmSync(path('a.txt'));
  expect(yard.tree().filter((entry) => entry.includes('/ws/'))).toEqual([`${yard.root}/`]);
});
