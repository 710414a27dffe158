import { execFileSync } from 'node:child_process';
import { mkdirSync, renameSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../../src/tools/tool.ts';
import type { Home } from '../support/home.ts';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

const DENIED = {
  ok: false,
  error: { code: 'execution_error', reason: 'denied', message: 'Access denied: path outside workspace' },
};

async function invoke(home: Home, name: string, args: unknown = {}, ...flags: string[]): Promise<ToolResult> {
  const { json } = await lainclaw(['tools', 'invoke', name, '--args', JSON.stringify(args), ...flags], { home });
  return json<{ result: ToolResult }>().result;
}

const read = (home: Home, path: string, range: object = {}, ...flags: string[]) =>
  invoke(home, 'fs.read_file', { path, ...range }, ...flags);

describe.concurrent('fs.read_file', () => {
  it('reads by relative and by absolute path, and under its alias', async () => {
    const home = testHome();
    const path = home.file('sub/a.txt', 'привет 你好\n');
    const data = { path: 'sub/a.txt', content: 'привет 你好\n', size: 20 };
    for (const spelling of ['sub/a.txt', './sub/../sub//a.txt', path])
      expect(await read(home, spelling)).toMatchObject({ ok: true, data });
    expect(await invoke(home, 'file_read', { path })).toMatchObject({ ok: true, data });
  });

  it('refuses every way out of the workspace with the same words', async () => {
    const home = testHome();
    writeFileSync(join(home.base, 'secret.txt'), 'secret');
    mkdirSync(join(home.base, 'workspace-evil'));
    writeFileSync(join(home.base, 'workspace-evil', 'secret.txt'), 'secret');
    symlinkSync('../secret.txt', join(home.workspace, 'link'));
    symlinkSync('..', join(home.workspace, 'up'));
    symlinkSync('/etc', join(home.workspace, 'etc'));
    const ways = [
      '../secret.txt',
      join(home.base, 'secret.txt'),
      '../workspace-evil/secret.txt',
      `${home.workspace}-evil/secret.txt`,
    ];
    for (const path of [
      ...ways,
      'link',
      'up/secret.txt',
      'etc/passwd',
      '/etc/passwd',
      '../no-such-file',
      '/proc/self/environ',
    ]) {
      expect(await read(home, path), path).toMatchObject(DENIED);
    }
    for (const path of ['..', '/', 'up', 'etc', '../workspace-evil'])
      expect(await invoke(home, 'fs.list_dir', { path }), path).toMatchObject(DENIED);
    const { toolError, toolResults } = await ask(home, 'tool:fs.read_file {"path":"link"}');
    expect(toolError).toEqual({
      tool: 'fs.read_file',
      code: 'execution_error',
      message: 'Access denied: path outside workspace',
    });
    expect(toolResults[0]?.result).toMatchObject(DENIED);
    expect(JSON.stringify(home.lines())).not.toContain('secret"');
  });

  it('follows a link that stays inside', async () => {
    const home = testHome();
    home.file('sub/a.txt', 'inside');
    symlinkSync('sub/a.txt', join(home.workspace, 'link'));
    expect(await read(home, 'link')).toMatchObject({ ok: true, data: { path: 'sub/a.txt', content: 'inside' } });
  });

  it('confines to --workspace, which beats LAINCLAW_WORKSPACE', async () => {
    const home = testHome();
    home.file('one/a.txt', 'one');
    home.file('two/a.txt', 'two');
    expect(await read(home, 'a.txt', {}, '--workspace', 'one')).toMatchObject({ data: { content: 'one' } });
    expect(await read(home, '../two/a.txt', {}, '--workspace', 'one')).toMatchObject(DENIED);
    const args = ['ask', 'tool:fs.read_file {"path":"a.txt"}', '--workspace', 'two'];
    const { json } = await lainclaw(args, { home, env: { LAINCLAW_WORKSPACE: join(home.workspace, 'one') } });
    expect(json().toolResults[0]?.result).toMatchObject({ data: { content: 'two' } });
  });

  it('refuses at once what is not a regular file', async () => {
    const home = testHome();
    execFileSync('mkfifo', [join(home.workspace, 'fifo')]);
    expect(await read(home, 'fifo')).toMatchObject({
      ok: false,
      error: { code: 'execution_error', message: 'Not a regular file: fifo' },
    });
    home.file('sub/x', '');
    expect(await read(home, 'sub')).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('Is a directory: sub') },
    });
    expect(await read(home, '.', {}, '--workspace', '/dev')).toMatchObject({ ok: false });
    expect(await read(home, 'zero', {}, '--workspace', '/dev')).toMatchObject({
      ok: false,
      error: { message: 'Not a regular file: zero' },
    });
  });

  it('says what is wrong with a path', async () => {
    const home = testHome();
    home.file('a.txt', 'a');
    expect(await read(home, 'nope.txt')).toMatchObject({
      ok: false,
      error: { code: 'execution_error', message: 'No such file: nope.txt' },
    });
    expect(await read(home, 'a.txt/b')).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('not a directory') },
    });
    expect(await read(home, '')).toMatchObject({ ok: false, error: { code: 'invalid_args' } });
    expect(await read(home, 'a\0b')).toMatchObject({
      ok: false,
      error: { code: 'invalid_args', message: expect.stringContaining('NUL') },
    });
    expect(await read(home, 'x'.repeat(5_000))).toMatchObject({
      ok: false,
      error: { code: 'invalid_args', message: expect.stringContaining('4096') },
    });
    expect(await read(home, 'x'.repeat(300))).toMatchObject({ ok: false, error: { code: 'invalid_args' } });
  });

  it('refuses a file over the limit by its size and tells how to read a range', async () => {
    const home = testHome();
    home.file('big.txt', 'x'.repeat(204_801));
    const { error } = (await read(home, 'big.txt')) as Extract<ToolResult, { ok: false }>;
    expect(error).toMatchObject({ code: 'execution_error', reason: 'limit' });
    for (const word of ['204801', '204800', 'startLine', 'maxLines']) expect(error.message).toContain(word);
    expect(await read(home, 'big.txt', { maxBytes: 204_801 })).toMatchObject({ ok: true });
    home.file('fits.txt', 'x'.repeat(204_800));
    expect(await read(home, 'fits.txt')).toMatchObject({ ok: true, data: { size: 204_800 } });
    expect(await read(home, 'big.txt', { startLine: 1, maxLines: 1 })).toMatchObject({
      ok: false,
      error: { reason: 'limit' },
    });
  });

  it.each([
    [{ startLine: 2, maxLines: 2 }, 'two\nthree\n', 2, 3],
    [{ startLine: 3 }, 'three\nfour', 3, 4],
    [{ maxLines: 1 }, 'one\n', 1, 1],
    [{ startLine: 4, maxLines: 10 }, 'four', 4, 4],
  ])('reads the range %j', async (range, content, startLine, endLine) => {
    const home = testHome();
    home.file('a.txt', 'one\ntwo\nthree\nfour');
    expect(await read(home, 'a.txt', range)).toMatchObject({
      ok: true,
      data: { path: 'a.txt', content, startLine, endLine, size: 18 },
    });
  });

  it('finds a range far inside a large file, across the blocks it is read in', async () => {
    const home = testHome();
    const lines = Array.from({ length: 40_000 }, (_, index) => `строка номер ${index + 1}`);
    home.file('large.txt', lines.join('\n'));
    for (const startLine of [2_620, 2_621, 2_622, 39_999]) {
      const { data } = (await read(home, 'large.txt', { startLine, maxLines: 2 })) as { data: { content: string } };
      expect(data.content.trimEnd().split('\n')).toEqual(lines.slice(startLine - 1, startLine + 1));
    }
  });

  it('refuses a range that is not there, or no range', async () => {
    const home = testHome();
    home.file('a.txt', 'one\n');
    expect(await read(home, 'a.txt', { startLine: 3 })).toMatchObject({
      ok: false,
      error: { code: 'invalid_args', message: expect.stringContaining('no line 3') },
    });
    for (const range of [
      { startLine: 0 },
      { maxLines: 0 },
      { maxBytes: 0 },
      { startLine: 1.5 },
      { startLine: '1' },
      { maxBytes: 1e9 },
    ]) {
      expect(await read(home, 'a.txt', range), JSON.stringify(range)).toMatchObject({
        ok: false,
        error: { code: 'invalid_args' },
      });
    }
  });

  it('refuses a binary file and reads an empty one', async () => {
    const home = testHome();
    home.file('program', Buffer.from('\x7fELF\0\0', 'latin1'));
    home.file('empty.txt', '');
    home.file('latin1.txt', Buffer.from([0x63, 0x61, 0x66, 0xe9]));
    expect(await read(home, 'program')).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('binary') },
    });
    expect(await read(home, 'empty.txt')).toMatchObject({ ok: true, data: { content: '', size: 0 } });
    expect(await read(home, 'latin1.txt')).toMatchObject({ ok: true, data: { content: 'caf\ufffd' } });
  });
});

describe.concurrent('fs.list_dir', () => {
  it('tells type, size and time of each entry, sorted, also under its alias', async () => {
    const home = testHome();
    home.file('b.txt', 'bb');
    home.file('a/inner.txt', 'x');
    symlinkSync('/etc', join(home.workspace, 'link'));
    execFileSync('mkfifo', [join(home.workspace, 'pipe')]);
    utimesSync(join(home.workspace, 'b.txt'), 1_000, 1_000);
    const result = await invoke(home, 'fs.list_dir');
    expect(result).toMatchObject({
      ok: true,
      data: {
        path: '.',
        truncated: false,
        entries: [
          { path: 'a', type: 'directory', size: 0 },
          { path: 'b.txt', type: 'file', size: 2, mtime: '1970-01-01T00:16:40.000Z' },
          { path: 'link', type: 'symlink', size: 0 },
          { path: 'pipe', type: 'other', size: 0 },
        ],
      },
    });
    expect(await invoke(home, 'file_list', { path: home.workspace })).toMatchObject({
      ok: true,
      data: (result as { data: object }).data,
    });
  });

  it('goes down as far as asked, and says when something is left out', async () => {
    const home = testHome();
    home.file('1/2/3/4/5/deep.txt', '');
    const paths = async (args: object) => {
      const { data } = (await invoke(home, 'fs.list_dir', args)) as {
        data: { entries: { path: string }[]; truncated: boolean };
      };
      return [data.entries.map(({ path }) => path).at(-1), data.truncated];
    };
    expect(await paths({})).toEqual(['1', false]);
    expect(await paths({ recursive: true })).toEqual(['1/2/3/4', true]);
    expect(await paths({ recursive: true, maxDepth: 2 })).toEqual(['1/2', true]);
    expect(await paths({ recursive: true, maxDepth: 9 })).toEqual(['1/2/3/4/5/deep.txt', false]);
    expect(await paths({ path: '1/2', recursive: true, maxDepth: 9 })).toEqual(['3/4/5/deep.txt', false]);
  });

  it('refuses what is not a directory', async () => {
    const home = testHome();
    home.file('a.txt', '');
    expect(await invoke(home, 'fs.list_dir', { path: 'a.txt' })).toMatchObject({
      ok: false,
      error: { message: 'Not a directory: a.txt' },
    });
    expect(await invoke(home, 'fs.list_dir', { path: 'nope' })).toMatchObject({
      ok: false,
      error: { message: 'No such directory: nope' },
    });
    for (const args of [{ maxDepth: 0 }, { maxDepth: 33 }, { recursive: 'yes' }, { depth: 1 }]) {
      expect(await invoke(home, 'fs.list_dir', args)).toMatchObject({ ok: false, error: { code: 'invalid_args' } });
    }
  });
});

describe.concurrent('a result reused within a session', () => {
  const ROUND = 'tool:fs.read_file {"path":"a.txt"}';
  const cached = async (home: Home, input: string, ...flags: string[]): Promise<unknown> =>
    (await ask(home, input, ...flags)).toolResults[0]?.result.meta.cached;

  /** A file that changed a moment ago is looked at more closely; what counts here is one that has come to rest. */
  const settled = (): Promise<void> => sleep(2_100);

  it('is that of an identical read of an unchanged file', async () => {
    const home = testHome();
    home.file('a.txt', 'first');
    await settled();
    expect(await cached(home, ROUND)).toBeUndefined();
    const again = await ask(home, ROUND);
    expect(again.toolResults[0]?.result).toMatchObject({
      ok: true,
      data: { content: 'first' },
      meta: { cached: true },
    });
    expect(again.result).toBe('fs.read_file: first');
    expect(await cached(home, 'tool:{"name":"fs.read_file","args":{"path":"a.txt"}}\nand?')).toBe(true);
    expect(await cached(home, 'tool:fs.read_file {"path":"a.txt","maxLines":1}')).toBeUndefined();
    expect(await cached(home, 'tool:fs.read_file {"maxLines":1,"path":"a.txt"}')).toBe(true);
  });

  it('is not that of a file that has changed, however little the change shows', async () => {
    const home = testHome();
    const path = home.file('a.txt', 'first');
    const content = async (): Promise<unknown> => {
      const { result } = (await ask(home, ROUND)).toolResults[0] ?? {};
      return result?.ok && [(result.data as { content: string }).content, result.meta.cached];
    };
    const time = new Date(1_700_000_000_000);
    utimesSync(path, time, time);
    await settled();
    expect(await content()).toEqual(['first', undefined]);
    expect(await content()).toEqual(['first', true]);
    writeFileSync(path, 'other');
    expect(await content()).toEqual(['other', undefined]);
    writeFileSync(path, 'third');
    utimesSync(path, time, time);
    expect(await content()).toEqual(['third', undefined]);
    writeFileSync(`${path}.new`, 'swapd');
    utimesSync(`${path}.new`, time, time);
    renameSync(`${path}.new`, path);
    expect(await content()).toEqual(['swapd', undefined]);
  });

  it('is never the time, a listing of the session before, or that of another session', async () => {
    const home = testHome();
    home.file('a.txt', 'first');
    for (const input of ['tool:time.now', 'tool:current_time', 'tool:tools.echo {"a":1}']) {
      await ask(home, input);
      expect(await cached(home, input)).toBeUndefined();
    }
    await ask(home, ROUND);
    expect(await cached(home, ROUND, '--session', 'other')).toBeUndefined();
    expect(await cached(home, ROUND, '--new-session')).toBeUndefined();
  });

  it('is not that of a file which no longer may be read', async () => {
    const home = testHome();
    const path = home.file('a.txt', 'first');
    writeFileSync(join(home.base, 'outside.txt'), 'first');
    await ask(home, ROUND);
    renameSync(path, `${path}.gone`);
    expect((await ask(home, ROUND)).toolError?.message).toBe('No such file: a.txt');
    symlinkSync('../outside.txt', path);
    expect((await ask(home, ROUND)).toolError?.message).toBe('Access denied: path outside workspace');
  });

  it('is not needed: without its store a read is just a read', async () => {
    for (const damage of [(path: string) => writeFileSync(path, 'no database'), (path: string) => mkdirSync(path)]) {
      const home = testHome();
      home.file('a.txt', 'first');
      await ask(home, 'hello');
      damage(join(home.path, 'lainclaw.db'));
      const { code, stderr, json } = await lainclaw(['ask', ROUND], { home });
      expect(json().toolResults[0]?.result).toMatchObject({ ok: true, data: { content: 'first' } });
      expect(code).toBe(0);
      expect(stderr).not.toMatch(/^ +at /m);
    }
  });
});
