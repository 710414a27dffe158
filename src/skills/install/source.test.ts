import { describe, expect, it } from 'vitest';
import { parseSource } from './source.ts';

// The empty path is the current folder.
const folders = ['./mine', 'mine', '/abs', ''];
const parse = (given: string) => parseSource(given, async (path) => folders.includes(path));

describe('what can be installed from', () => {
  it.each([
    ['./mine', { kind: 'folder', path: './mine' }],
    ['mine', { kind: 'folder', path: 'mine' }],
    ['/abs', { kind: 'folder', path: '/abs' }],
    ['https://example.com/a/b.git', { kind: 'git', url: 'https://example.com/a/b.git' }],
    ['ssh://git@example.com/a/b.git', { kind: 'git', url: 'ssh://git@example.com/a/b.git' }],
    ['git@example.com:a/b.git', { kind: 'git', url: 'git@example.com:a/b.git' }],
    ['file:///srv/skills.git', { kind: 'git', url: 'file:///srv/skills.git' }],
    ['some-skill', { kind: 'npm', spec: 'some-skill' }],
    ['@scope/skill@1.2.3', { kind: 'npm', spec: '@scope/skill@1.2.3' }],
    ['npm:skill@latest', { kind: 'npm', spec: 'skill@latest' }],
  ])('%s', async (given, source) => {
    expect(await parse(given)).toEqual(source);
  });

  it.each([
    ['http://example.com/a.git', 'cannot be fetched'],
    ['git://example.com/a.git', 'cannot be fetched'],
    ['ext::sh -c whoami', 'is not a valid source'],
    ['ext://x', 'cannot be fetched'],
    ['https://user:token@example.com/a.git', 'contains a password'],
    ['https://token@example.com/a.git', 'contains a password'],
    ['ssh://-oProxyCommand=x/a', ''],
    ['-oProxyCommand=x@host:a', 'is not a valid source'],
    ['--upload-pack=x', 'is not a valid source'],
    ['git+https://example.com/a.git', 'cannot be fetched'],
    ['user/repo', 'is not a valid source'],
    ['skill@https://example.com/x.tgz', 'is not a valid source'],
    ['./absent', 'there is no folder'],
    ['../absent', 'there is no folder'],
    ['', 'the source is empty'],
  ])('not %j', async (given, reason) => {
    await expect(parse(given)).rejects.toMatchObject({ name: 'SkillError', message: expect.stringContaining(reason) });
  });

  it('never repeats a password', async () => {
    for (const given of ['http://user:hunter2@example.com/', 'https://user:hunter2@example.com/'])
      await expect(parse(given)).rejects.toMatchObject({ message: expect.not.stringContaining('hunter2') });
  });
});
