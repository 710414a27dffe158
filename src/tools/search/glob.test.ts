import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createWorkspace } from '../../workspace/confined.ts';
import type { ToolContext } from '../tool.ts';
import { createFileFilter } from './file-filter.ts';
import { createGlobTool } from './glob.ts';
import { findRipgrep } from './program.ts';

const NAMES = [
  'a.ts',
  'b.ts',
  '.ts',
  'a',
  'A.TS',
  'a.log',
  'keep.log',
  'x-y_1.ts',
  'n\new.ts',
  'ü.ts',
  'a.ts.bak',
  '-q',
];
const FOLDERS = ['', 'src/', 'src/deep/', 'aa/', '.hidden/', 'ts.ts/', 'build/', 'src/build/'];

function tree({ repositoryAbove = false } = {}): string {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'lainclaw-glob-test-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const root = join(base, 'workspace');
  const put = (path: string, text: string): void => {
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  };
  for (const folder of FOLDERS) for (const name of NAMES) put(join(root, folder, name), '');
  put(join(root, '.gitignore'), '*.log\n!keep.log\nbuild/\n');
  put(join(root, 'src/.ignore'), 'x-y*\n');
  if (repositoryAbove) put(join(base, '.gitignore'), 'b.ts\n');
  return root;
}

async function found(root: string, pattern: string, path: string): Promise<string[]> {
  const workspace = await createWorkspace({ root });
  const context = { workspace, signal: new AbortController().signal } as ToolContext;
  const { data } = await createGlobTool().execute({ pattern, path, limit: 10_000 }, context);
  return (data as { files: string[] }).files.toSorted();
}

/** Every file that is not ignored, and what the matcher says of it. */
async function expected(root: string, pattern: string, path: string): Promise<string[]> {
  const flags = ['--no-config', '--files', '--null', '--no-require-git', '--hidden', '--glob=!.git', './'];
  const all = execFileSync(await findRipgrep(), flags, { cwd: join(root, path), encoding: 'utf8' });
  const { fits } = createFileFilter(`/${pattern}`);
  const names = all.split('\0').flatMap((name) => (name === '' ? [] : [name.slice(2)]));
  return names
    .filter(fits)
    .map((name) => (path === '.' ? name : `${path}/${name}`))
    .toSorted();
}

const part = fc.oneof(
  fc.constantFrom(
    '*',
    '**',
    '?',
    'src',
    'a',
    '.hidden',
    '*.ts',
    '*.log',
    'a*',
    '*.t*',
    '[ab].ts',
    '{a,b}.ts',
    '*.{ts,log}',
  ),
  fc
    .array(fc.constantFrom('*', 'a', 'x', 'y', '-', '_', '1', '.', 't', 's', 'T', 'ü', '?'), {
      minLength: 1,
      maxLength: 5,
    })
    .map((letters) => letters.join('')),
);
const patterns = fc.array(part, { minLength: 1, maxLength: 3 }).map((parts) => parts.join('/'));

describe('glob', () => {
  it('finds every file that its matcher accepts and that is not ignored, whatever patterns ripgrep gets', async () => {
    const roots = [tree(), tree({ repositoryAbove: true })];
    const places = fc.record({ root: fc.constantFrom(...roots), path: fc.constantFrom('.', 'src', 'src/deep') });
    await fc.assert(
      fc.asyncProperty(patterns, places, async (pattern, { root, path }) => {
        fc.pre(!pattern.includes('./'));
        expect(await found(root, pattern, path)).toEqual(await expected(root, pattern, path));
      }),
      {
        numRuns: 120,
        examples: [
          ['**/*.ts', { root: roots[1] ?? '', path: 'src' }],
          ['*.log', { root: roots[0] ?? '', path: '.' }],
        ],
      },
    );
  });
});
