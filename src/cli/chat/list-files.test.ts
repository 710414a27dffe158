import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { listFiles } from './list-files.ts';

function folderWith(...paths: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'chat-files-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const path of paths) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), '');
  }
  return folder;
}

const listed = async (folder: string, signal = new AbortController().signal): Promise<string[]> =>
  (await Array.fromAsync(listFiles(folder, signal))).sort();

it.each([
  ['a repository', ['.git/HEAD']],
  ['a folder that is none', []],
])('the files of %s are listed, hidden ones too, but not what ignore files name', async (_what, more) => {
  const folder = folderWith(
    'src/a.ts',
    '.env.example',
    'node_modules/x/index.js',
    'build/out.js',
    'bad\x07name',
    ...more,
  );
  writeFileSync(join(folder, '.gitignore'), 'node_modules\n/build\n');
  expect(await listed(folder)).toEqual(['.env.example', '.gitignore', 'src/a.ts']);
});

it('ends when nobody wants the list any more, and where there is no folder', async () => {
  expect(await listed('/does/not/exist')).toEqual([]);
  const control = new AbortController();
  control.abort();
  expect(await listed(folderWith('a.ts'), control.signal)).toEqual([]);
});
