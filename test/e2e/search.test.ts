import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../../src/tools/tool.ts';
import type { Home } from '../support/home.ts';
import { lainclaw, runBinary } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

interface Found {
  matches: number;
  truncated: boolean;
  lines: { path: string; line: number; text: string; context?: true }[];
}

async function invoke(home: Home, name: string, args: object, wrapper?: string[]): Promise<ToolResult> {
  const given = ['tools', 'invoke', name, '--args', JSON.stringify(args)];
  const finished = await (wrapper ? runBinary(given, { home, wrapper }) : lainclaw(given, { home }));
  return finished.json<{ result: ToolResult }>().result;
}

async function grep(home: Home, args: object): Promise<Found> {
  const result = await invoke(home, 'grep', args);
  expect(result, JSON.stringify(args)).toMatchObject({ ok: true });
  return (result as { data: Found }).data;
}

const shown = async (home: Home, args: object): Promise<string[]> =>
  (await grep(home, args)).lines.map(({ path, line, text, context }) => `${path}${context ? '-' : ':'}${line}:${text}`);

async function glob(home: Home, args: object): Promise<{ files: string[]; total: number; truncated: boolean }> {
  const result = await invoke(home, 'glob', args);
  expect(result, JSON.stringify(args)).toMatchObject({ ok: true });
  return (result as { data: { files: string[]; total: number; truncated: boolean } }).data;
}

function project(): Home {
  const home = testHome();
  home.file('src/a.ts', 'one\nconst needle = 1;\nthree\n');
  home.file('src/deep/b.py', 'needle = 2\n');
  home.file('.hidden/c.ts', 'const needle = 3;\n');
  home.file('.gitignore', 'ignored.ts\nbuild/\n*.log\n!keep.log\n');
  home.file('ignored.ts', 'needle\n');
  home.file('build/d.ts', 'needle\n');
  home.file('build.log', 'needle\n');
  home.file('keep.log', 'needle\n');
  home.file('.git/config', 'needle\n');
  return home;
}

describe.concurrent('grep', () => {
  it('finds lines with their numbers, in hidden files too, and leaves out what ignore files name', async () => {
    const home = project();
    expect(await shown(home, { pattern: 'ne{2}dle' })).toEqual([
      '.hidden/c.ts:1:const needle = 3;',
      'keep.log:1:needle',
      'src/a.ts:2:const needle = 1;',
      'src/deep/b.py:1:needle = 2',
    ]);
    expect(await grep(home, { pattern: 'nothing like it' })).toEqual({ matches: 0, truncated: false, lines: [] });
  });

  it('narrows by path, type and glob, and none of them opens what is ignored', async () => {
    const home = project();
    expect(await shown(home, { pattern: 'needle', path: 'src/deep' })).toEqual(['src/deep/b.py:1:needle = 2']);
    expect(await shown(home, { pattern: 'needle', path: 'src/a.ts' })).toEqual(['src/a.ts:2:const needle = 1;']);
    expect(await shown(home, { pattern: 'needle', type: 'py' })).toEqual(['src/deep/b.py:1:needle = 2']);
    expect(await shown(home, { pattern: 'needle', glob: '*.ts' })).toEqual([
      '.hidden/c.ts:1:const needle = 3;',
      'src/a.ts:2:const needle = 1;',
    ]);
    expect(await shown(home, { pattern: 'needle', glob: 'src/**/*.{ts,py}' })).toEqual([
      'src/a.ts:2:const needle = 1;',
      'src/deep/b.py:1:needle = 2',
    ]);
    expect(await shown(home, { pattern: 'needle', glob: '*.log' })).toEqual(['keep.log:1:needle']);
    expect(await shown(home, { pattern: 'needle', glob: '**/*' })).toHaveLength(4);
    expect(await shown(home, { pattern: 'needle', glob: '.git/**' })).toEqual([]);
    expect(await shown(home, { pattern: 'needle', glob: 'build/*' })).toEqual([]);
  });

  it('shows lines around a match', async () => {
    const home = testHome();
    home.file('n.txt', '1\n2\nhit\n4\n5\n6\n7\nhit\n9\n');
    expect(await shown(home, { pattern: 'hit', context: 1 })).toEqual([
      'n.txt-2:2',
      'n.txt:3:hit',
      'n.txt-4:4',
      'n.txt-7:7',
      'n.txt:8:hit',
      'n.txt-9:9',
    ]);
    expect(await shown(home, { pattern: 'hit', before: 1, after: 0, limit: 1 })).toEqual(['n.txt-2:2', 'n.txt:3:hit']);
    expect(await shown(home, { pattern: 'hit', context: 1, limit: 1 })).toEqual([
      'n.txt-2:2',
      'n.txt:3:hit',
      'n.txt-4:4',
    ]);
  });

  it('ignores case and crosses lines when asked to', async () => {
    const home = testHome();
    home.file('a.txt', 'begin {\n  END\n}\n');
    expect(await shown(home, { pattern: 'end' })).toEqual([]);
    expect(await shown(home, { pattern: 'end', ignoreCase: true })).toEqual(['a.txt:2:  END']);
    expect(await shown(home, { pattern: 'begin.*\\n.*END', multiline: true })).toEqual(['a.txt:1:begin {\n  END']);
    expect(await invoke(home, 'grep', { pattern: 'begin.*\\n' })).toMatchObject({
      ok: false,
      error: { code: 'invalid_args', message: expect.stringContaining('multiline') },
    });
  });

  it('stops at the limit and says that there is more', async () => {
    const home = testHome();
    home.file('many.txt', 'hit\n'.repeat(1_000));
    expect(await grep(home, { pattern: 'hit' })).toMatchObject({ matches: 200, truncated: true });
    expect(await grep(home, { pattern: 'hit', limit: 7 })).toMatchObject({ matches: 7, truncated: true });
    expect(await grep(home, { pattern: 'hit', limit: 1_000 })).toMatchObject({ matches: 1_000, truncated: false });
  });

  it('cuts a long line, and passes over binary files', async () => {
    const home = testHome();
    home.file('min.js', `needle${'x'.repeat(100_000)}\n`);
    home.file('picture.bin', Buffer.concat([Buffer.from('\0\x01\x02'), Buffer.from('needle')]));
    const { lines } = await grep(home, { pattern: 'needle' });
    expect(lines.map(({ path }) => path)).toEqual(['min.js']);
    expect(lines[0]?.text).toHaveLength(501);
  });

  it('does not follow links, and refuses every path outside', async () => {
    const home = testHome();
    writeFileSync(join(home.base, 'secret.txt'), 'needle outside\n');
    mkdirSync(join(home.base, 'workspace-evil'));
    writeFileSync(join(home.base, 'workspace-evil', 'x'), 'needle outside\n');
    symlinkSync('..', join(home.workspace, 'up'));
    symlinkSync('../secret.txt', join(home.workspace, 'link.txt'));
    home.file('real/in.txt', 'needle inside\n');
    symlinkSync('real', join(home.workspace, 'again'));
    expect(await shown(home, { pattern: 'needle' })).toEqual(['real/in.txt:1:needle inside']);
    for (const path of ['..', '../secret.txt', '/etc', 'up', 'link.txt', '../workspace-evil', 'real/../..'])
      for (const tool of ['grep', 'glob'])
        expect(await invoke(home, tool, { pattern: 'needle', path }), `${tool} ${path}`).toMatchObject({
          ok: false,
          error: { reason: 'denied', message: 'Access denied: path outside workspace' },
        });
  });

  it('a glob or a pattern with a way out in it finds nothing outside', async () => {
    const home = testHome();
    writeFileSync(join(home.base, 'secret.txt'), 'needle\n');
    expect(await shown(home, { pattern: 'needle', glob: '../*.txt' })).toEqual([]);
    expect((await glob(home, { pattern: '../*.txt' })).files).toEqual([]);
    expect((await glob(home, { pattern: `${home.base}/*.txt` })).files).toEqual([]);
  });

  it('says what is wrong with an expression, a type or a glob', async () => {
    const home = project();
    for (const args of [
      { pattern: '((' },
      { pattern: '(?<=look)behind' },
      { pattern: 'x{1000}{1000}{1000}' },
      { pattern: 'x', type: 'nope' },
      { pattern: 'x', glob: '{a,b' },
      { pattern: 'x', glob: '!src' },
      { pattern: '' },
      { pattern: 'x', limit: 0 },
    ])
      expect(await invoke(home, 'grep', args), JSON.stringify(args)).toMatchObject({
        ok: false,
        error: { code: 'invalid_args', message: expect.not.stringContaining('/tmp/') },
      });
  });

  it('takes a pattern for a pattern, whatever it looks like', async () => {
    const home = testHome();
    home.file('a.txt', '--files\n-e x\n$HOME\n');
    expect(await shown(home, { pattern: '--files' })).toEqual(['a.txt:1:--files']);
    expect(await shown(home, { pattern: '-e' })).toEqual(['a.txt:2:-e x']);
    expect(await shown(home, { pattern: '\\$HOME' })).toEqual(['a.txt:3:$HOME']);
  });

  it('ends also where an expression looks catastrophic', async () => {
    const home = testHome();
    home.file('a.txt', `${'a'.repeat(50_000)}!\n`);
    const result = await invoke(home, 'grep', { pattern: '^(a+)+$|(a|a)*b|(.*a){20}z' });
    expect(result).toMatchObject({ ok: true, data: { matches: 0 } });
    // An engine that tries every way would never end.
    expect(result.meta.durationMs).toBeLessThan(60_000);
  });

  it('passes over what it may not read, whatever its name is', async () => {
    const home = testHome();
    home.file('a.txt', 'needle\n');
    for (const name of ['invalid-glob.txt', 'regex parse error.txt']) chmodSync(home.file(name, 'needle\n'), 0o000);
    home.file('.ignore', '{broken\n');
    for (const path of [home.base, home.workspace]) chmodSync(path, 0o777);
    const nobody = ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups'];
    const wrapper = process.getuid?.() === 0 ? nobody : [];
    const result = await invoke(home, 'grep', { pattern: 'needle' }, wrapper);
    expect(result).toMatchObject({ ok: true, data: { matches: 1, lines: [{ path: 'a.txt' }] } });
  });

  it('needs no permission', async () => {
    for (const name of ['grep', 'glob']) {
      const { json } = await lainclaw(['tools', 'info', name], { home: testHome() });
      expect(json()).toMatchObject({ effect: 'read', requiresPermission: false, available: true });
    }
  });
});

describe.concurrent('glob', () => {
  it('is anchored where it starts: a star stays in its directory', async () => {
    const home = project();
    home.file('top.ts', '');
    expect((await glob(home, { pattern: '*.ts' })).files).toEqual(['top.ts']);
    expect((await glob(home, { pattern: './*.ts' })).files).toEqual(['top.ts']);
    expect((await glob(home, { pattern: 'src/*' })).files).toEqual(['src/a.ts']);
    expect((await glob(home, { pattern: '*.{ts,py}', path: 'src/deep' })).files).toEqual(['src/deep/b.py']);
    expect((await glob(home, { pattern: '**/*.ts' })).files.sort()).toEqual(['.hidden/c.ts', 'src/a.ts', 'top.ts']);
    expect((await glob(home, { pattern: '**/[ab].*' })).files.sort()).toEqual(['src/a.ts', 'src/deep/b.py']);
  });

  it('leaves out what ignore files name, also when the pattern fits it', async () => {
    const home = project();
    expect((await glob(home, { pattern: '**/*.log' })).files).toEqual(['keep.log']);
    expect((await glob(home, { pattern: 'ignored.ts' })).files).toEqual([]);
    expect((await glob(home, { pattern: 'build/*' })).files).toEqual([]);
    expect((await glob(home, { pattern: '.git/*' })).files).toEqual([]);
    expect((await glob(home, { pattern: '**' })).total).toBe(5);
    home.file('.ignore', 'src/deep\n');
    expect((await glob(home, { pattern: '**/*.py' })).files).toEqual([]);
  });

  it('honours the ignore files of a repository above the workspace', async () => {
    const home = testHome();
    execFileSync('git', ['init', '-q', home.base]);
    writeFileSync(join(home.base, '.gitignore'), '*.tmp\n');
    home.file('a.tmp', '');
    home.file('a.txt', '');
    expect((await glob(home, { pattern: '*' })).files).toEqual(['a.txt']);
  });

  it('puts the newest first, and says how many there are beyond the limit', async () => {
    const home = testHome();
    for (const [index, name] of ['c', 'a', 'b'].entries())
      utimesSync(home.file(`${name}.txt`, ''), 1_000, 2_000 + index);
    expect(await glob(home, { pattern: '*.txt' })).toEqual({
      files: ['b.txt', 'a.txt', 'c.txt'],
      total: 3,
      truncated: false,
    });
    expect(await glob(home, { pattern: '*.txt', limit: 1 })).toEqual({ files: ['b.txt'], total: 3, truncated: true });
  });

  it('keeps names as they are', async () => {
    const home = testHome();
    const names = ['with space.txt', 'new\nline.txt', 'ünïcode-文.txt', "quote'd.txt", '-dash.txt'];
    for (const name of names) home.file(name, '');
    expect((await glob(home, { pattern: '*.txt' })).files.sort()).toEqual(names.sort());
  });

  it('says what is wrong', async () => {
    const home = project();
    for (const pattern of ['{a,b', '!src', '']) {
      expect(await invoke(home, 'glob', { pattern }), pattern).toMatchObject({
        ok: false,
        error: { code: 'invalid_args' },
      });
    }
    expect(await invoke(home, 'glob', { pattern: '*', path: 'src/a.ts' })).toMatchObject({
      ok: false,
      error: { message: 'Not a directory: src/a.ts' },
    });
    expect(await invoke(home, 'glob', { pattern: '*', path: 'nope' })).toMatchObject({ ok: false });
  });
});
