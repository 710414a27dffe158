import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { classifyCommand } from './classify-command.ts';
import { createCommandParser } from './parse-command.ts';
import { isInside, locate } from './paths.ts';
import { createLinkResolver } from './resolve-links.ts';

const context = {
  workspaceRoot: '/w/x',
  directory: '/w/x/sub',
  userHome: '/home/u',
  lainclawHome: '/home/u/.lainclaw',
};

describe('where a path leads', () => {
  it.each([
    ['a', '/w/x/sub/a', 'sub/a'],
    ['../a', '/w/x/a', 'a'],
    ['..', '/w/x', '.'],
    ['../..', '/w', undefined],
    ['/w/x-evil', '/w/x-evil', undefined],
    ['/w/x/', '/w/x', '.'],
    ['~/a', '/home/u/a', undefined],
    ['~root/a', '/~root/a', undefined],
    ['~+', '/~+', undefined],
    ['./././a//b', '/w/x/sub/a/b', 'sub/a/b'],
  ])('%s', (path, absolute, relative) => {
    expect(locate(path, context)).toEqual({ path: absolute, relative });
  });

  it('/workspace-evil is not inside /workspace', () => {
    expect(isInside('/workspace-evil', '/workspace')).toBe(false);
    expect(isInside('/workspace/a', '/workspace')).toBe(true);
    expect(isInside('/a', '/')).toBe(true);
  });
});

describe('links', () => {
  let root: string;
  beforeEach(() => {
    root = realpathSync(mkdtempSync(join(tmpdir(), 'lainclaw-links-')));
    mkdirSync(join(root, 'ws/dir'), { recursive: true });
    mkdirSync(join(root, 'out/deep'), { recursive: true });
    writeFileSync(join(root, 'out/secret'), '');
    symlinkSync('../out/deep', join(root, 'ws/link'));
    symlinkSync(join(root, 'ws/link'), join(root, 'ws/dir/again'));
    symlinkSync('loop', join(root, 'ws/loop'));
  });
  afterEach(() => rmSync(root, { recursive: true }));

  it('are followed as the kernel does', () => {
    const resolve = createLinkResolver();
    for (const path of ['ws/link', 'ws/dir/again', 'ws/link/..', 'ws/dir/again/../secret', 'ws/dir/..', 'out'])
      expect(resolve(`${root}/${path}`), path).toBe(realpathSync.native(`${root}/${path}`));
    expect(resolve(`${root}/ws/link/not/there`)).toBe(`${root}/out/deep/not/there`);
    expect(resolve(`${root}/ws/loop/x`)).toContain('loop');
    expect(resolve('/')).toBe('/');
    expect(resolve('/../..')).toBe('/');
  });

  it('a link that leads out makes a command ask', async () => {
    const parse = await createCommandParser();
    const workspaceRoot = `${root}/ws`;
    const base = { ...context, workspaceRoot, directory: workspaceRoot };
    const linked = { ...base, resolveLinks: createLinkResolver() };
    const verdict = (command: string, where: typeof base): string => classifyCommand(parse(command), where).verdict;
    for (const command of ['cat link/../secret', 'cat dir/again/x', 'cd link && ls', 'cat < link/x'])
      expect(verdict(command, linked), command).toBe('ask');
    expect(verdict('cat dir/../a', linked)).toBe('read-only');
    // Without a resolver, a link is taken for what it looks like.
    expect(verdict('cat link/x', base)).toBe('read-only');
  });
});
