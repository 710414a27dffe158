import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newId } from '../../lib/new-id.ts';
import { createLocks } from '../../storage/local/locks.ts';
import { createInstaller } from './installer.ts';

const skill = (name: string, body = 'Do it.'): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n---\n${body}\n`;

function setUp(files: Record<string, string> = {}) {
  const base = realpathSync(mkdtempSync(join(tmpdir(), 'lainclaw-install-')));
  onTestFinished(() => rmSync(base, { recursive: true, force: true }));
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(base, path)), { recursive: true });
    writeFileSync(join(base, path), text);
  };
  for (const [path, text] of Object.entries(files)) write(path, text);
  const directory = join(base, 'home/skills');
  const make = () =>
    createInstaller({
      directory,
      locks: createLocks(join(base, 'home/locks')),
      cwd: base,
      variables: { PATH: process.env.PATH, HOME: base },
      now: () => Date.UTC(2026, 0, 1),
      newId,
    });
  const visible = (): string[] =>
    existsSync(directory) ? readdirSync(directory).filter((name) => !name.startsWith('.')) : [];
  const hidden = (): string[] =>
    readdirSync(directory).filter((name) => name.startsWith('.') && name !== '.installed.json');
  return { base, directory, write, installer: make(), make, visible, hidden };
}

describe('installing a folder', () => {
  it('copies it, private, and records where it came from and what it was', async () => {
    const { base, directory, installer, hidden } = setUp({
      'mine/SKILL.md': skill('pdf'),
      'mine/scripts/run.sh': '#!/bin/sh\ntouch /tmp/never\n',
      'mine/.git/config': 'not copied',
    });
    chmodSync(join(base, 'mine/scripts/run.sh'), 0o755);
    const [installed] = await installer.install('mine');
    expect(installed).toMatchObject({
      name: 'pdf',
      description: 'Does pdf.',
      path: join(directory, 'pdf'),
      source: { kind: 'folder', from: join(base, 'mine') },
      installedAt: '2026-01-01T00:00:00.000Z',
      hash: expect.stringMatching(/^sha256-[0-9a-f]{64}$/),
      files: 2,
      replaced: false,
      executables: ['scripts/run.sh'],
      skipped: [],
    });
    expect(readFileSync(join(directory, 'pdf/SKILL.md'), 'utf8')).toBe(skill('pdf'));
    expect(existsSync(join(directory, 'pdf/.git'))).toBe(false);
    expect(statSync(join(directory, 'pdf')).mode & 0o777).toBe(0o700);
    expect(statSync(join(directory, 'pdf/SKILL.md')).mode & 0o777).toBe(0o600);
    expect(statSync(join(directory, 'pdf/scripts/run.sh')).mode & 0o777).toBe(0o700);
    expect(hidden()).toEqual([]);
  });

  it('leaves links and special files out and says so', async () => {
    const { base, directory, installer } = setUp({ 'mine/SKILL.md': skill('a'), 'secret/key': 'secret' });
    symlinkSync('../secret/key', join(base, 'mine/key'));
    symlinkSync('../secret', join(base, 'mine/folder'));
    execFileSync('mkfifo', [join(base, 'mine/pipe')]);
    const [installed] = await installer.install('./mine');
    expect(installed?.skipped).toEqual(['folder', 'key', 'pipe']);
    expect(readdirSync(join(directory, 'a'))).toEqual(['SKILL.md']);
  });

  it('refuses one that is there, and replaces it when asked to', async () => {
    const { directory, write, installer, visible, hidden } = setUp({
      'mine/SKILL.md': skill('a'),
      'mine/old.md': 'old',
    });
    await installer.install('mine');
    await expect(installer.install('mine')).rejects.toMatchObject({ code: 'SKILL_EXISTS' });
    rmSync(join(directory, '../../mine/old.md'));
    write('mine/new.md', 'new');
    expect(await installer.install('mine', { force: true })).toMatchObject([{ replaced: true }]);
    expect(readdirSync(join(directory, 'a')).toSorted()).toEqual(['SKILL.md', 'new.md']);
    expect([visible(), hidden()]).toEqual([['a'], []]);
  });

  it.each([
    ['no SKILL.md', { 'mine/README.md': 'x' }, 'it has no SKILL.md'],
    ['an invalid one', { 'mine/SKILL.md': '# no' }, 'cannot be used'],
    ['a SKILL.md that is too large', { 'mine/SKILL.md': skill('a', 'x'.repeat(300_000)) }, 'over the limit'],
    ['a file that is too large', { 'mine/SKILL.md': skill('a'), 'mine/b': 'x'.repeat(10_485_761) }, 'over the limit'],
    [
      'too many files',
      { 'mine/SKILL.md': skill('a'), ...Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`mine/${n}`, ''])) },
      '501 files',
    ],
  ])('with %s is refused and nothing is left', async (_, files: Record<string, string>, reason) => {
    const { installer, visible, hidden } = setUp(files);
    await expect(installer.install('mine')).rejects.toThrow(reason);
    expect([visible(), hidden()]).toEqual([[], []]);
  });

  it('with several skills asks which; one below another belongs to it', async () => {
    const { installer, visible } = setUp({
      'repo/skills/a/SKILL.md': skill('a'),
      'repo/skills/a/examples/SKILL.md': skill('inner'),
      'repo/.claude/skills/b/SKILL.md': skill('b'),
      'repo/skills/broken/SKILL.md': 'x',
      'repo/node_modules/x/SKILL.md': skill('x'),
    });
    await expect(installer.install('repo')).rejects.toThrow('it holds 2 skills: choose with --skill <names> (a, b)');
    await expect(installer.install('repo', { names: ['inner'] })).rejects.toThrow('it holds no skill "inner"');
    await installer.install('repo', { names: ['b', 'a'] });
    expect(visible()).toEqual(['a', 'b']);
  });

  it('gives a name that is not a file name a folder, where it is found, replaced and removed again', async () => {
    const { directory, installer, visible } = setUp({
      'mine/SKILL.md': skill('"Notes: 发布 / release"'),
      'plain/SKILL.md': skill('notes-发布-release'),
    });
    const [installed] = await installer.install('mine');
    expect(installed?.path).toMatch(/\/skills\/Notes-发布-release=[0-9a-f]{16}$/);
    await installer.install('plain');
    expect(visible()).toHaveLength(2);
    await expect(installer.install('mine')).rejects.toThrow('there is a skill "Notes: 发布 / release" already');
    expect(await installer.install('mine', { force: true })).toMatchObject([{ replaced: true, path: installed?.path }]);
    expect([...(await installer.installed()).skills.keys()].sort()).toEqual([
      'Notes: 发布 / release',
      'notes-发布-release',
    ]);
    expect(await installer.remove('notes: 发布 / release')).toEqual({
      name: 'Notes: 发布 / release',
      path: installed?.path,
    });
    expect(visible()).toEqual(['notes-发布-release']);
    expect(existsSync(join(directory, 'notes-发布-release', 'SKILL.md'))).toBe(true);
  });

  it('finds a skill that was put into a folder of another name', async () => {
    const { installer, write, visible } = setUp({ 'mine/SKILL.md': skill('Notes') });
    write('home/skills/by-hand/SKILL.md', skill('notes'));
    await expect(installer.install('mine')).rejects.toThrow('there is a skill "notes" already');
    await installer.remove('NOTES', { force: true });
    expect(visible()).toEqual([]);
  });

  it('by two at once gives each its turn', async () => {
    const { make, write, visible, installer } = setUp();
    const names = ['a', 'b', 'c', 'd', 'e', 'f'];
    for (const name of names) write(`from/${name}/SKILL.md`, skill(name));
    await Promise.all(names.map((name) => make().install(`from/${name}`)));
    expect(visible()).toEqual(names);
    expect([...(await installer.installed()).skills.keys()].toSorted()).toEqual(names);
  });

  it('clears what a killed one left, and puts back what it was replacing', async () => {
    const { directory, write, installer, visible, hidden } = setUp({
      'one/SKILL.md': skill('one'),
      'two/SKILL.md': skill('two'),
    });
    await installer.install('one');
    renameSync(join(directory, 'one'), join(directory, '.replaced-one'));
    write('home/skills/.staging-x/half/SKILL.md', 'half');
    await installer.install('two');
    expect([visible(), hidden()]).toEqual([['one', 'two'], []]);
  });
});

describe('installing from git', () => {
  function repository(base: string): string {
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], {
        cwd: join(base, 'repo'),
        env: { PATH: process.env.PATH, HOME: base },
        encoding: 'utf8',
      });
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'first');
    return git('rev-parse', 'HEAD').trim();
  }

  it('reads the newest commit; no link, hook or filter of it comes to life', async () => {
    const { base, directory, installer, write } = setUp({
      'repo/SKILL.md': skill('from-git'),
      'repo/scripts/run.sh': 'echo\n',
      'repo/.gitattributes': '* filter=evil\n',
    });
    chmodSync(join(base, 'repo/scripts/run.sh'), 0o755);
    symlinkSync('/etc/passwd', join(base, 'repo/passwd'));
    const commit = repository(base);
    // A person's own settings: a template with a hook, and a filter the repository asks for.
    const trap = `touch ${join(base, 'sprung')}`;
    write('template/hooks/post-checkout', `#!/bin/sh\n${trap}\n`);
    chmodSync(join(base, 'template/hooks/post-checkout'), 0o755);
    write('.gitconfig', `[init]\n templateDir = ${join(base, 'template')}\n[filter "evil"]\n smudge = ${trap}; cat\n`);
    const [installed] = await installer.install(`file://${join(base, 'repo')}`);
    expect(installed).toMatchObject({
      name: 'from-git',
      source: { kind: 'git', commit },
      files: 3,
      skipped: ['passwd'],
      executables: ['scripts/run.sh'],
    });
    expect(readFileSync(join(directory, 'from-git/SKILL.md'), 'utf8')).toBe(skill('from-git'));
    expect(existsSync(join(base, 'sprung'))).toBe(false);
    expect((await installer.installed()).skills.get('from-git')?.changed).toBe(false);
  });

  it('tells what git said when it fails, and stops when it is cancelled', async () => {
    const { base, installer, hidden } = setUp();
    await expect(installer.install(`file://${join(base, 'absent')}`)).rejects.toMatchObject({
      code: 'SKILL_FETCH',
      message: expect.stringContaining('git failed'),
    });
    const signal = AbortSignal.abort(new Error('stopped'));
    await expect(installer.install(`file://${join(base, 'absent')}`, { signal })).rejects.toThrow('stopped');
    expect(hidden()).toEqual([]);
  });
});

describe('what was installed', () => {
  it.each([
    ['an edited file', (at: string) => writeFileSync(join(at, 'SKILL.md'), skill('a', 'Do evil.'))],
    ['a new file', (at: string) => writeFileSync(join(at, 'new'), '')],
    ['a missing file', (at: string) => rmSync(join(at, 'b.sh'))],
    ['a file made executable', (at: string) => chmodSync(join(at, 'b.sh'), 0o700)],
    ['a link', (at: string) => symlinkSync('/etc/passwd', join(at, 'link'))],
    [
      'something in node_modules',
      (at: string) => mkdirSync(join(at, 'node_modules')) ?? writeFileSync(join(at, 'node_modules/x'), ''),
    ],
  ])('is seen to have changed by %s', async (_, change) => {
    const { directory, installer } = setUp({ 'mine/SKILL.md': skill('a'), 'mine/b.sh': 'echo' });
    await installer.install('mine');
    const changed = async () => (await installer.installed()).skills.get('a')?.changed;
    expect(await changed()).toBe(false);
    change(join(directory, 'a'));
    expect(await changed()).toBe(true);
  });

  it('survives a damaged record, which is kept aside', async () => {
    const { directory, write, installer } = setUp({ 'mine/SKILL.md': skill('a') });
    write('home/skills/.installed.json', '{"version":1,"skil');
    expect(await installer.installed()).toEqual({ skills: new Map(), damaged: true });
    await installer.install('mine');
    expect((await installer.installed()).skills.size).toBe(1);
    expect(existsSync(join(directory, '.installed.json.damaged'))).toBe(true);
  });

  it('is removed; what was made by hand only when asked to', async () => {
    const { base, write, installer, visible } = setUp({ 'mine/SKILL.md': skill('a') });
    write('home/skills/own/SKILL.md', skill('own'));
    await installer.install('mine');
    await installer.remove('a');
    expect([visible(), (await installer.installed()).skills.size]).toEqual([['own'], 0]);
    await expect(installer.remove('own')).rejects.toMatchObject({ code: 'SKILL_NOT_INSTALLED' });
    await installer.remove('own', { force: true });
    expect(visible()).toEqual([]);
    for (const name of ['a', '../locks', '.installed.json', ''])
      await expect(installer.remove(name, { force: true })).rejects.toMatchObject({ code: 'SKILL_NOT_FOUND' });
    expect(existsSync(join(base, 'home/locks'))).toBe(true);
  });

  it('a link in its place is removed alone, not what it leads to', async () => {
    const { base, directory, installer } = setUp({ 'mine/SKILL.md': skill('a') });
    mkdirSync(directory, { recursive: true });
    symlinkSync(join(base, 'mine'), join(directory, 'a'));
    await expect(installer.install('mine', { force: true })).rejects.toMatchObject({ code: 'SKILL_EXISTS' });
    await installer.remove('a', { force: true });
    expect(existsSync(join(base, 'mine/SKILL.md'))).toBe(true);
  });
});
