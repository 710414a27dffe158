import { mkdirSync, symlinkSync } from 'node:fs';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { createYard, type Yard } from '../../test/workspace-race/yard.ts';
import { createProtectedPaths } from './protected.ts';
import type { ProtectedPaths } from './workspace.ts';

let yard: Yard;
let reason: ProtectedPaths;
beforeEach(async () => {
  yard = createYard();
  mkdirSync(`${yard.base}/user/real-home`, { recursive: true });
  symlinkSync('real-home', `${yard.base}/user/.lainclaw`);
  reason = await createProtectedPaths({ home: `${yard.base}/user/.lainclaw`, userHome: `${yard.base}/user` });
});
afterEach(() => yard.remove());

const isProtected = (path: string, root = '/ws'): boolean => reason(path, `${root}/${path}`) !== undefined;

it.each([
  [
    '.git',
    '.git/hooks/pre-commit',
    '.git/config',
    'nested/.git/HEAD',
    '.gitconfig',
    'sub/.gitmodules',
    '.config/git/config',
  ],
  ['.bashrc', '.zshenv', 'home/.profile', '.config/fish/config.fish', '.config/systemd/user/x.service', '.envrc'],
  ['.ssh/authorized_keys', '.gnupg/gpg.conf', '.lainclaw/config.json', 'project/.lainclaw/skills/x/SKILL.md'],
  // As another file system would read them.
  [
    '.GIT/config',
    '.Git/Hooks/x',
    '.BashRC',
    '.git./config',
    '.git /config',
    '.git::$INDEX_ALLOCATION/config',
    'GIT~1/config',
  ],
  ['.g\u200cit/config', '.\u017fsh/x', '.\uff47it/config', '.bashrc::$DATA'],
])('protects what runs by itself: %s …', (...paths) => {
  expect(paths.filter((path) => !isProtected(path))).toEqual([]);
});

it('leaves everything else alone', () => {
  const paths = [
    'README.md',
    'src/git/config',
    '.gitignore',
    '.gitattributes',
    '.github/workflows/ci.yml',
    'git',
    'a.git/x',
  ];
  const more = [
    '.git/info/exclude',
    'bashrc',
    '.bashrc.d/x',
    'ssh',
    'bin/tool',
    '...',
    '.vscode/settings.json',
    '.env',
    ' ',
  ];
  expect([...paths, ...more].filter((path) => isProtected(path))).toEqual([]);
});

it("protects Lainclaw's home wherever it lies and whatever leads there, but not the workspace in it", () => {
  const home = `${yard.base}/user/real-home`;
  expect(isProtected('sessions/x.jsonl', home)).toBe(true);
  expect(isProtected('config.json', home)).toBe(true);
  expect(isProtected('workspace/notes.md', home)).toBe(false);
  expect(isProtected('notes.md', `${home}/workspace`)).toBe(false);
  expect(isProtected('notes.md', `${home}-other`)).toBe(false);
  expect(isProtected('x', `${home}/sessions`)).toBe(true);
});

it("protects the user's own programs only in the user's home", () => {
  expect(isProtected('bin/ls', `${yard.base}/user`)).toBe(true);
  expect(isProtected('.local/bin/ls', `${yard.base}/user`)).toBe(true);
  expect(isProtected('project/bin/ls', `${yard.base}/user`)).toBe(false);
});
