import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../../src/tools/tool.ts';
import type { Home } from '../support/home.ts';
import { ask, askBinary, lainclaw, type ProcessOptions, runBinary } from '../support/lainclaw.ts';
import { canMount, mountTmpfs, unprivileged, unprivilegedUser } from '../support/mounts.ts';
import { testHome } from '../support/test-home.ts';

const DENIED = {
  ok: false,
  error: { code: 'execution_error', reason: 'denied', message: 'Access denied: path outside workspace' },
};

async function invoke(home: Home, name: string, args: object, options?: Partial<ProcessOptions>): Promise<ToolResult> {
  const command = ['tools', 'invoke', name, '--approve=auto', '--args', JSON.stringify(args)];
  const { json } = await (options ? runBinary(command, { home, ...options }) : lainclaw(command, { home }));
  return json<{ result: ToolResult }>().result;
}

const write = (home: Home, path: string, content: string, options?: Partial<ProcessOptions>) =>
  invoke(home, 'file_write', { path, content }, options);
const edit = (home: Home, path: string, oldText: string, newText: string) =>
  invoke(home, 'file_edit', { path, oldText, newText });
const content = (home: Home, path: string): string => readFileSync(join(home.workspace, path), 'utf8');

describe('file_write', () => {
  it('appends of twelve sessions to one file at the same time are all made, each whole', async () => {
    const home = testHome();
    const names = Array.from({ length: 12 }, (_, index) => `session-${index}`);
    const append = (line: string) =>
      `tool:file_write ${JSON.stringify({ path: 'log.txt', content: line, mode: 'append' })}`;
    const turns = names.map((name) => askBinary(home, append(`${name}\n`), '--session', name, '--approve=auto'));
    const results = (await Promise.all(turns)).flatMap(({ toolResults }) => toolResults.map(({ result }) => result));
    expect(results.filter(({ ok }) => !ok)).toEqual([]);
    expect(content(home, 'log.txt').trimEnd().split('\n').sort()).toEqual(names.toSorted());
    // The last one to append can take its line back, and nobody else's.
    const last = content(home, 'log.txt').trimEnd().split('\n').at(-1) ?? '';
    expect((await lainclaw(['undo', '--session', last], { home })).code).toBe(0);
    expect(content(home, 'log.txt').trimEnd().split('\n')).toHaveLength(11);
  });

  it('writes, creates directories and appends, by relative and absolute path', async () => {
    const home = testHome();
    expect(await write(home, 'notes/deep/a.md', 'привет\n')).toMatchObject({
      ok: true,
      data: { path: 'notes/deep/a.md', created: true, bytes: 13 },
    });
    const path = join(home.workspace, 'notes/deep/a.md');
    expect(await invoke(home, 'file_write', { path, content: 'ещё\n', mode: 'append' })).toMatchObject({
      ok: true,
      data: { created: false, diff: expect.stringContaining('+ещё') },
    });
    expect(content(home, 'notes/deep/a.md')).toBe('привет\nещё\n');
    expect(readdirSync(join(home.workspace, 'notes/deep'))).toEqual(['a.md']);
  });

  it('needs permission: without anyone to ask it changes nothing', async () => {
    const home = testHome();
    const args = ['tools', 'invoke', 'file_write', '--args', '{"path":"a","content":"x"}'];
    for (const flags of [[], ['--approve=never']]) {
      const { code, json } = await lainclaw([...args, ...flags], { home });
      expect(code).toBe(1);
      expect(json<{ result: ToolResult }>().result).toMatchObject({ ok: false, error: { reason: 'denied' } });
    }
    expect(readdirSync(home.workspace)).toEqual([]);
    const { json } = await lainclaw(['tools', 'info', 'file_write'], { home });
    expect(json()).toMatchObject({ effect: 'write', requiresPermission: true });
  });

  it('creates nothing outside, whatever leads there', async () => {
    const home = testHome();
    writeFileSync(join(home.base, 'secret.txt'), 'secret');
    mkdirSync(join(home.base, 'workspace-evil'));
    symlinkSync('../secret.txt', join(home.workspace, 'link'));
    symlinkSync('../new.txt', join(home.workspace, 'dangling'));
    symlinkSync('..', join(home.workspace, 'up'));
    const paths = ['../x', join(home.base, 'x'), '../workspace-evil/x', 'link', 'dangling', 'up/x', 'up/d/x', '/etc/x'];
    for (const path of paths) expect(await write(home, path, 'evil'), path).toMatchObject(DENIED);
    expect(await edit(home, 'link', 'secret', 'evil')).toMatchObject(DENIED);
    expect(readFileSync(join(home.base, 'secret.txt'), 'utf8')).toBe('secret');
    expect(
      readdirSync(home.base)
        .filter((name) => name !== 'home')
        .sort(),
    ).toEqual(['secret.txt', 'workspace', 'workspace-evil']);
    expect(readdirSync(join(home.base, 'workspace-evil'))).toEqual([]);
  });

  it('never writes what runs by itself, nor the home of Lainclaw, also when everything is approved', async () => {
    const home = testHome();
    for (const path of ['.git/hooks/pre-commit', '.GIT/config', 'sub/.bashrc', '.ssh/authorized_keys']) {
      expect(await write(home, path, 'evil'), path).toMatchObject({ ok: false, error: { reason: 'denied' } });
    }
    expect(readdirSync(home.workspace)).toEqual([]);
    const args = ['--workspace', home.base, '--args', '{"path":"home/config.json","content":"{}"}'];
    const { json } = await lainclaw(['tools', 'invoke', 'file_write', '--approve=auto', ...args], { home });
    expect(json<{ result: ToolResult }>().result).toMatchObject({ ok: false, error: { reason: 'denied' } });
    expect(existsSync(join(home.path, 'config.json'))).toBe(false);
  });

  it('holds to maxFileSizeBytes, 1 MiB by default', async () => {
    const home = testHome();
    // Too long for a command line: the arguments go through a turn's standard input.
    const input = (size: number): string =>
      `tool:file_write ${JSON.stringify({ path: 'a', content: 'x'.repeat(size) })}`;
    const run = async (size: number) =>
      (await lainclaw(['ask', '--approve=auto', '-'], { home, stdin: input(size) })).json().toolResults[0]?.result;
    expect(await run(1024 * 1024 + 1)).toMatchObject({
      ok: false,
      error: { reason: 'limit', message: expect.stringContaining('over the limit of 1048576') },
    });
    expect(existsSync(join(home.workspace, 'a'))).toBe(false);
    expect(await run(1024 * 1024)).toMatchObject({ ok: true });
    home.config({ maxFileSizeBytes: 10 });
    expect(await write(home, 'b', 'x'.repeat(11))).toMatchObject({ ok: false, error: { reason: 'limit' } });
  });

  it('refuses FIFOs and directories at once', async () => {
    const home = testHome();
    execFileSync('mkfifo', [join(home.workspace, 'fifo')]);
    mkdirSync(join(home.workspace, 'dir'));
    expect(await write(home, 'fifo', 'x')).toMatchObject({ ok: false, error: { message: 'Not a regular file: fifo' } });
    expect(await write(home, 'dir', 'x')).toMatchObject({
      ok: false,
      error: { message: expect.stringContaining('Is a directory') },
    });
  });

  it.runIf(canMount)('leaves the old content when the disk is full', async () => {
    const home = testHome();
    const mount = await mountTmpfs(home.workspace, 'size=64k');
    try {
      // The current directory was entered before the mount: the path finds the mounted one.
      const options = { wrapper: mount.wrapper, env: { LAINCLAW_WORKSPACE: home.workspace } };
      expect(await write(home, 'a.txt', 'old content', options)).toMatchObject({ ok: true });
      expect(await write(home, 'a.txt', 'x'.repeat(100_000), options)).toMatchObject({
        ok: false,
        error: { code: 'execution_error', message: 'No space left on the disk: a.txt was not changed' },
      });
      expect(await write(home, 'new/dir/b.txt', 'x'.repeat(100_000), options)).toMatchObject({ ok: false });
      expect(readdirSync(mount.outside(home.workspace))).toEqual(['a.txt']);
      expect(readFileSync(mount.outside(join(home.workspace, 'a.txt')), 'utf8')).toBe('old content');
    } finally {
      await mount.close();
    }
  });

  it('respects a file that may not be written, and a directory that may not', async () => {
    const home = testHome();
    home.file('read-only.txt', 'old');
    home.file('closed/x', 'old');
    for (const path of [
      home.base,
      home.workspace,
      join(home.workspace, 'closed'),
      join(home.workspace, 'read-only.txt'),
    ]) {
      chownSync(path, unprivilegedUser, unprivilegedUser);
    }
    chmodSync(home.base, 0o755);
    chmodSync(join(home.workspace, 'read-only.txt'), 0o444);
    chmodSync(join(home.workspace, 'closed'), 0o555);
    const options = { wrapper: unprivileged };
    for (const path of ['read-only.txt', 'closed/new']) {
      expect(await write(home, path, 'x', options)).toMatchObject({
        ok: false,
        error: { message: `Permission denied: ${path}` },
      });
    }
    expect(content(home, 'read-only.txt')).toBe('old');
    chmodSync(join(home.workspace, 'closed'), 0o755);
  });
});

describe('file_edit', () => {
  it('keeps line endings, byte order mark, mode and every other byte', async () => {
    const home = testHome();
    const path = home.file('run.bat', Buffer.concat([Buffer.from('\ufeffone\r\ntwo\r\n'), Buffer.from([0xff, 0xfe])]));
    chmodSync(path, 0o750);
    expect(await edit(home, 'run.bat', 'one\ntwo\n', '1\n2\n3\n')).toMatchObject({
      ok: true,
      data: { replacements: 1 },
    });
    expect(readFileSync(path)).toEqual(
      Buffer.concat([Buffer.from('\ufeff1\r\n2\r\n3\r\n'), Buffer.from([0xff, 0xfe])]),
    );
    expect(statSync(path).mode & 0o777).toBe(0o750);
  });

  it('says why it could not be done', async () => {
    const home = testHome();
    home.file('a.ts', 'if (x) {\n    go();\n}\nx\nx\n');
    home.file('binary', Buffer.from([1, 0, 2]));
    const message = async (path: string, oldText: string) => {
      const result = await edit(home, path, oldText, 'new');
      return result.ok ? 'ok' : result.error.message;
    };
    expect(await message('a.ts', 'if (x) {\n\tgo();')).toMatch(
      /lines 1-2 \(differs only in indentation\):\n1\| if \(x\) \{/,
    );
    expect(await message('a.ts', 'x')).toContain('occurs 3 times in a.ts (lines 1, 4, 5)');
    expect(await message('binary', 'x')).toBe('binary is a binary file: it has no text to edit');
    expect(await message('nope', 'x')).toContain('No such file: nope');
    expect(await edit(home, 'a.ts', 'new', 'new')).toMatchObject({ ok: false, error: { code: 'invalid_args' } });
  });

  it('refuses a file that changed since it was read in this session, and only in this one', async () => {
    const home = testHome();
    const path = home.file('a.txt', 'one\ntwo\n');
    const editing = 'tool:file_edit {"path":"a.txt","oldText":"one","newText":"1"}';
    await ask(home, 'tool:fs.read_file {"path":"a.txt"}');
    writeFileSync(path, 'one\nby hand\n');
    const { toolError } = await ask(home, editing, '--approve=auto');
    expect(toolError?.message).toMatch(
      /a\.txt has changed since it was read .*\n1 line in place of 1 at line 2:\n2\| by hand/,
    );
    expect((await ask(home, editing, '--approve=auto', '--session', 'other')).toolError).toBeUndefined();
    expect(content(home, 'a.txt')).toBe('1\nby hand\n');
    await ask(home, 'tool:fs.read_file {"path":"a.txt"}');
    expect(
      (await ask(home, 'tool:file_edit {"path":"a.txt","oldText":"1","newText":"I"}', '--approve=auto')).toolError,
    ).toBeUndefined();
    // What the agent wrote itself, it has seen.
    expect(
      (await ask(home, 'tool:file_edit {"path":"a.txt","oldText":"I","newText":"II"}', '--approve=auto')).toolError,
    ).toBeUndefined();
  });
});
