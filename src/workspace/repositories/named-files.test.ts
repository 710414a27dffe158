// What the person's own settings have git obey, wherever those settings are: of the repository, of one around it, of all repositories.
import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testHome } from '../../../test/support/test-home.ts';
import { createObeyedByGit } from './named-files.ts';
import { createRepositoryWatcher } from './watch-repositories.ts';

function scene(settings: Record<string, string> = {}, everywhere = '') {
  const { base, workspace: outer } = testHome();
  const root = join(outer, 'app');
  const file = (path: string, text: string | Buffer): string => {
    const whole = join(outer, path);
    mkdirSync(dirname(whole), { recursive: true });
    writeFileSync(whole, text);
    return whole;
  };
  file('app/a.txt', 'a');
  writeFileSync(join(base, '.gitconfig'), everywhere);
  const git = (...args: string[]): void => void execFileSync('git', args, { cwd: outer });
  git('init', '-q');
  for (const [name, value] of Object.entries(settings)) git('config', name, value);
  const obeyed = (path: string): string | undefined => createObeyedByGit(base)(join(outer, path));
  return { base, outer, root, file, git, obeyed };
}

describe('git obeys', () => {
  it.each([
    ['a hook', { 'core.hooksPath': 'app/hooks' }, 'app/hooks/pre-commit'],
    ['a hook that husky runs', { 'core.hooksPath': 'app/.husky/_' }, 'app/.husky/pre-commit'],
    ['a watching program', { 'core.fsmonitor': './app/mon.sh' }, 'app/mon.sh'],
    ['a script of a filter', { 'filter.x.clean': 'python3 -u "app/clean.py" %f' }, 'app/clean.py'],
    ['a script without a directory', { 'diff.x.textconv': 'sh show.sh' }, 'show.sh'],
    ['a script behind other words', { 'filter.x.smudge': 'cd . && env A=app/x.sh sh' }, 'app/x.sh'],
    ['an external diff', { 'diff.external': 'app/diff' }, 'app/diff'],
    ['included settings', { 'include.path': '../app/team.gitconfig' }, 'app/team.gitconfig'],
    [
      'a program after settings that continue on the next line',
      { 'alias.x': '!a \\\n b', 'core.fsmonitor': './m' },
      'm',
    ],
  ])('%s', (_what, settings, path) => expect(scene(settings).obeyed(path)).toBeDefined());

  it('a name alone, where there is a file with it', () => {
    const { file, obeyed } = scene({ 'filter.x.clean': 'sh clean' });
    expect(obeyed('clean')).toBeUndefined();
    file('clean', 'cat');
    expect(obeyed('clean')).toBeDefined();
  });

  it('what settings for all repositories name, through what they include', () => {
    const { base, obeyed } = scene({}, '[include]\n\tpath = ~/work\n[core]\n\thooksPath = .hooks\n');
    writeFileSync(join(base, 'work'), '[diff "x"]\n\ttextconv = ./app/show.sh\n');
    expect(['.hooks/post-checkout', 'app/show.sh'].map(obeyed)).toEqual([expect.any(String), expect.any(String)]);
  });

  it('files behind a link of the person’s', () => {
    const { outer, file, obeyed } = scene({ 'core.hooksPath': 'tools/hooks' });
    file('shared/hooks/pre-commit', '');
    symlinkSync('shared', join(outer, 'tools'));
    expect(obeyed('shared/hooks/pre-commit')).toBeDefined();
  });

  it('nothing else', () => {
    const { obeyed } = scene({
      'core.hooksPath': 'app/hooks',
      'filter.x.clean': 'cat app/clean.sh',
      'alias.build': '!sh app/build.sh',
      'user.name': 'app/x.sh',
    });
    const others = ['app/hooks/README.md', 'hooks/pre-commit', 'app/build.sh', 'app/x.sh', 'app/a.txt', 'clean.sh'];
    expect(others.filter((path) => obeyed(path) !== undefined)).toEqual([]);
  });
});

it('a program that is too large to be kept stays as it is, and is taken away once a command has changed it', async () => {
  const { base, outer, file } = scene({ 'filter.x.clean': './tool' });
  const tool = file('tool', Buffer.alloc(1_100_000, 'x'));
  const watcher = createRepositoryWatcher();
  const common = { root: outer, now: Date.now };
  const before = await watcher.look({ ...common, signal: new AbortController().signal, userHome: base });
  const putBack = () => watcher.putBack(before, { ...common, keptPath: async (name) => join(base, name) });
  expect(await putBack()).toEqual([]);
  writeFileSync(tool, Buffer.alloc(1_100_000, 'y'));
  expect(await putBack()).toEqual([expect.stringContaining('tool was taken away')]);
});
