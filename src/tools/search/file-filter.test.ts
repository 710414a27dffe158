import { existsSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { createFileFilter } from './file-filter.ts';

describe('which files a glob means', () => {
  it.each([
    ['*.ts', ['a.ts', 'src/a.ts', '.hidden/a.ts'], ['a.tsx', 'src/a.ts/b']],
    ['/*.ts', ['a.ts'], ['src/a.ts']],
    ['src/**/*.{ts,py}', ['src/a.ts', 'src/deep/er/b.py'], ['a.ts', 'lib/src/a.ts']],
    ['**', ['a', 'b/c', '.d'], []],
    ['[ab].txt', ['a.txt', 'x/b.txt'], ['c.txt']],
  ])('%s', (glob, fitting, others) => {
    const { fits } = createFileFilter(glob);
    expect(fitting.filter((path) => !fits(path))).toEqual([]);
    expect(others.filter(fits)).toEqual([]);
  });

  it('reaches ripgrep in a file that is gone afterwards', async () => {
    let seen = '';
    await createFileFilter('*.ts').asIgnoreFile(async (path) => {
      seen = path;
      expect(readFileSync(path, 'utf8')).toBe('*\n!*/\n!*.ts\n');
    });
    expect(existsSync(seen)).toBe(false);
    const failing = createFileFilter('*').asIgnoreFile(async (path) => {
      seen = path;
      throw new Error('ripgrep');
    });
    await expect(failing).rejects.toThrow('ripgrep');
    expect(existsSync(seen)).toBe(false);
  });

  it('is one line: a glob cannot add rules of its own', () => {
    expect(() => createFileFilter('*.ts\n!.git')).toThrow('one line');
  });
});
