import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { ensureDirectory, ensurePrivateFile, storageError, writeAtomically } from './private-files.ts';
import { StorageError } from './storage.ts';

let base: string;
beforeEach(() => {
  base = mkdtempSync(join(tmpdir(), 'lainclaw-files-'));
});
afterEach(() => rmSync(base, { recursive: true, force: true }));

const mode = (...names: string[]): string => (statSync(join(base, ...names)).mode & 0o777).toString(8);

it.each([0o000, 0o022, 0o277])('directories and files are private under umask %o', async (umask) => {
  const before = process.umask(umask);
  onTestFinished(() => void process.umask(before));
  await ensureDirectory(join(base, 'a', 'b', 'c'));
  await ensurePrivateFile(join(base, 'a', 'd', 'file'));
  await writeAtomically(join(base, 'a', 'index.json'), '{}');
  expect([mode('a'), mode('a', 'b'), mode('a', 'b', 'c'), mode('a', 'd')]).toEqual(['700', '700', '700', '700']);
  expect([mode('a', 'd', 'file'), mode('a', 'index.json')]).toEqual(['600', '600']);
});

it('a file that is there is left as it is', async () => {
  writeFileSync(join(base, 'file'), 'mine', { mode: 0o640 });
  await ensurePrivateFile(join(base, 'file'));
  expect([readFileSync(join(base, 'file'), 'utf8'), mode('file')]).toEqual(['mine', '640']);
});

it('a replaced file is the new one whole, and nothing is left beside it', async () => {
  const path = join(base, 'index.json');
  for (const text of ['short', 'ж'.repeat(100_000), '']) {
    await writeAtomically(path, text);
    expect(readFileSync(path, 'utf8')).toBe(text);
  }
  expect(readdirSync(base)).toEqual(['index.json']);
});

it('a file that cannot be replaced stays, and nothing is left beside it', async () => {
  mkdirSync(join(base, 'index.json'));
  writeFileSync(join(base, 'index.json', 'inner'), '');
  await expect(writeAtomically(join(base, 'index.json'), 'text')).rejects.toBeInstanceOf(StorageError);
  expect(readdirSync(base)).toEqual(['index.json']);
  await expect(writeAtomically(join(base, 'no', 'such', 'place'), 'text')).rejects.toBeInstanceOf(StorageError);
  expect(existsSync(join(base, 'no'))).toBe(false);
});

it('what a killed writer left behind does not stop the next', async () => {
  await writeAtomically(join(base, 'index.json'), 'one');
  writeFileSync(join(base, '.index.json.tmp'), 'half');
  await writeAtomically(join(base, 'index.json'), 'two');
  expect(readFileSync(join(base, 'index.json'), 'utf8')).toBe('two');
});

it.each([
  ['ENOSPC', 'STORAGE_FULL', /free some space/],
  ['EDQUOT', 'STORAGE_FULL', /free some space/],
  ['EROFS', 'STORAGE_READ_ONLY', /LAINCLAW_HOME/],
  ['EACCES', 'STORAGE_NO_PERMISSION', /LAINCLAW_HOME/],
  ['EPERM', 'STORAGE_NO_PERMISSION', /LAINCLAW_HOME/],
  ['ENOTDIR', 'STORAGE_NOT_A_DIRECTORY', /move it away/],
  ['EISDIR', 'STORAGE_NOT_A_DIRECTORY', /move it away/],
  ['EMFILE', 'STORAGE_NO_HANDLES', /ulimit -n/],
  ['ENFILE', 'STORAGE_NO_HANDLES', /ulimit -n/],
  ['EIO', 'STORAGE_FAILED', /EIO: broken/],
])('%s is reported as %s with what to do', (system, code, advice) => {
  const cause = Object.assign(new Error(`${system}: broken`), { code: system });
  const error = storageError('/some/path', cause);
  expect(error).toMatchObject({ code, cause, message: expect.stringMatching(advice) });
  expect(error.message).toContain('/some/path');
  expect(storageError('/another', error)).toBe(error);
});
