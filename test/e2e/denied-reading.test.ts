// A deny rule on reading is about the files: no tool shows what is in them, whichever way it reads.
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ToolResult } from '../../src/tools/tool.ts';
import type { Home } from '../support/home.ts';
import { lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

const SECRET = 'the-hidden-word';

async function invoke(home: Home, name: string, args: object): Promise<{ result: ToolResult; said: string }> {
  const given = ['tools', 'invoke', name, '--approve=auto', '--args', JSON.stringify(args)];
  const { json, stdout, stderr } = await lainclaw(given, { home });
  return { result: json<{ result: ToolResult }>().result, said: stdout + stderr };
}

function project(deny = ['fs.read_file(conf/secrets/**)', 'file_read(.env)', 'file_read(*.pem)']): Home {
  const home = testHome();
  mkdirSync(home.path, { recursive: true });
  writeFileSync(join(home.path, 'permissions.json'), JSON.stringify({ version: 1, deny }));
  for (const path of ['conf/secrets/deep/key', '.env', 'sub/.env', 'sub/server.pem', 'Conf/SECRETS/key'])
    home.file(path, `${SECRET}\n`);
  home.file('conf/open.txt', 'an open word\n');
  home.file('.gitignore', '.env\nsub/server.pem\n');
  return home;
}

describe.concurrent('what may not be read', () => {
  it('is found by no search and is in no list', async () => {
    const home = project();
    const grep = await invoke(home, 'grep', { pattern: 'word' });
    expect(grep.result).toMatchObject({ ok: true, data: { matches: 1, lines: [{ path: 'conf/open.txt' }] } });
    const glob = await invoke(home, 'glob', { pattern: '**' });
    expect(glob.result).toMatchObject({ ok: true, data: { total: 2 } });
    const list = await invoke(home, 'fs.list_dir', { recursive: true, maxDepth: 9 });
    const { entries } = (list.result as { data: { entries: { path: string }[] } }).data;
    expect(entries.map(({ path }) => path)).toEqual(['.gitignore', 'Conf', 'conf', 'conf/open.txt', 'sub']);
    expect(grep.said + glob.said + list.said).not.toContain(SECRET);
  });

  it('is shown by no tool that is given its path, through links and other spellings too', async () => {
    const home = project();
    symlinkSync('conf/secrets', join(home.workspace, 'way'));
    const calls: [string, object][] = [
      ['grep', { pattern: '.', path: 'conf/secrets' }],
      ['grep', { pattern: '.', path: '.env' }],
      ['grep', { pattern: '.', path: 'way' }],
      ['glob', { pattern: '**', path: 'conf/secrets/deep' }],
      ['fs.list_dir', { path: 'conf/secrets' }],
      ['fs.read_file', { path: 'sub/../way/deep/key' }],
      ['file_edit', { path: 'sub/.env', oldText: SECRET, newText: 'x' }],
      ['file_write', { path: 'sub/server.pem', content: 'x' }],
    ];
    for (const [name, args] of calls) {
      const { result } = await invoke(home, name, args);
      expect(result, `${name} ${JSON.stringify(args)}`).toMatchObject({ ok: false, error: { reason: 'denied' } });
      expect(JSON.stringify(result)).not.toContain(SECRET);
    }
    expect(readFileSync(join(home.workspace, 'sub/server.pem'), 'utf8')).toBe(`${SECRET}\n`);
  });

  it('is not there for a command, also one that makes up the name, and stays where it is', async () => {
    const home = project();
    for (const command of [
      `cat c*/s*/deep/* ./.e* s*/.e* sub/*m C*/S*/* ; true`,
      `find . -type f -exec cat {} + ; true`,
      `mv conf elsewhere; cat elsewhere/*/deep/*; true`,
      `ln c*/s*/deep/k* stolen; cp -r c*/s* stolen; tar cf - . | strings; true`,
      `grep -r . . ; rm -rf c*/s*; true`,
    ]) {
      const { result, said } = await invoke(home, 'bash', { command });
      expect(result, command).toMatchObject({ ok: true, data: { exitCode: 0 } });
      expect(said, command).not.toContain(SECRET);
    }
    expect(readFileSync(join(home.workspace, 'conf/secrets/deep/key'), 'utf8')).toBe(`${SECRET}\n`);
    expect(await invoke(home, 'bash', { command: 'cat conf/open.txt; echo new > conf/new.txt' })).toMatchObject({
      result: { data: { stdout: 'an open word\n', exitCode: 0 } },
    });
    expect(existsSync(join(home.workspace, 'conf/new.txt'))).toBe(true);
  });

  it('is not there for code, whose workspace stays read-only', async () => {
    const home = project();
    const code = `for f in $(find "${home.workspace}" -type f); do cat "$f"; done; echo x > "${home.workspace}/conf/made"; true`;
    const { result, said } = await invoke(home, 'code_execute', { language: 'bash', code });
    expect(result).toMatchObject({ ok: true, data: { exitCode: 0, stdout: expect.stringContaining('an open word') } });
    expect(said).not.toContain(SECRET);
    expect(existsSync(join(home.workspace, 'conf/made'))).toBe(false);
  });

  it('lets no command run where there is no sandbox to hide it', async () => {
    const home = project();
    home.config({ sandbox: 'none' });
    const { result } = await invoke(home, 'bash', { command: 'true' });
    expect(result).toMatchObject({
      ok: false,
      error: { reason: 'denied', message: expect.stringContaining('sandbox') },
    });
    const open = testHome();
    open.config({ sandbox: 'none' });
    expect(await invoke(open, 'bash', { command: 'true' })).toMatchObject({ result: { ok: true } });
  });

  it('in too many places to hide stops a command, and says what to do', async () => {
    const home = project(['fs.read_file(*.key)']);
    for (let index = 0; index < 300; index += 1) home.file(`keys/${index}.key`, SECRET);
    const { result } = await invoke(home, 'bash', { command: 'ls' });
    expect(result).toMatchObject({ ok: false, error: { message: expect.stringContaining('deny whole directories') } });
    expect((await invoke(home, 'glob', { pattern: '**/*.key' })).result).toMatchObject({ data: { total: 0 } });
  });

  it('by a rule of one tool is left out by that tool alone', async () => {
    const home = project(['grep(conf/**)']);
    expect((await invoke(home, 'grep', { pattern: 'open' })).result).toMatchObject({ ok: true, data: { matches: 0 } });
    expect((await invoke(home, 'fs.read_file', { path: 'conf/open.txt' })).result).toMatchObject({ ok: true });
  });
});

describe.concurrent('what asks before it is read', () => {
  it('asks when a search would read it, not when names are listed', async () => {
    const home = testHome();
    mkdirSync(home.path, { recursive: true });
    const content = JSON.stringify({ version: 1, ask: ['fs.read_file(private/**)'] });
    writeFileSync(join(home.path, 'permissions.json'), content);
    home.file('private/x', SECRET);
    const args = (more: object): string[] => ['--args', JSON.stringify(more)];
    const run = async (name: string, more: object) =>
      (await lainclaw(['tools', 'invoke', name, ...args(more)], { home })).json<{ result: ToolResult }>().result;
    expect(await run('grep', { pattern: 'x' })).toMatchObject({ ok: false, error: { reason: 'denied' } });
    expect(await run('grep', { pattern: 'x', path: 'private/x' })).toMatchObject({ ok: false });
    expect(await run('glob', { pattern: '**' })).toMatchObject({ ok: true, data: { total: 1 } });
    expect(await run('fs.list_dir', { path: '.' })).toMatchObject({ ok: true });
  });
});
