import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { ToolResult } from '../../src/tools/tool.ts';
import { eventually } from '../support/eventually.ts';
import type { Home } from '../support/home.ts';
import { ask, lainclaw, startLainclaw, terminal } from '../support/lainclaw.ts';
import { startNpmRegistry } from '../support/npm-registry.ts';
import { testHome } from '../support/test-home.ts';

interface Listed {
  skills: { name: string; source: string; hidesHome?: true; installed?: { changed: boolean; kind: string } }[];
  problems: { folder: string; reason: string }[];
}

const skill = (name: string, more = ''): string =>
  `---\nname: ${name}\ndescription: Does ${name}.\n${more}---\n\nDo it.\n`;

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}

const run = (home: Home, args: string[], env?: Record<string, string>) => lainclaw(['skills', ...args], { home, env });
const listed = async (home: Home): Promise<Listed> => (await run(home, ['list'])).json<Listed>();
const invoke = async (home: Home, name: string, args: unknown, ...flags: string[]): Promise<ToolResult> => {
  const finished = await lainclaw(['tools', 'invoke', name, '--args', JSON.stringify(args), ...flags], { home });
  return finished.json<{ result: ToolResult }>().result;
};

describe('skills of the workspace and the home', () => {
  it('are listed, the workspace in front, with the reason where one cannot be used', async () => {
    const home = testHome();
    home.file('skills/both/SKILL.md', skill('both'));
    home.file('skills/broken/SKILL.md', 'no front matter');
    write(join(home.path, 'skills/both/SKILL.md'), skill('both'));
    write(join(home.path, 'skills/own/SKILL.md'), skill('own'));
    const { code, stderr, json } = await run(home, ['list']);
    expect(code).toBe(0);
    expect(json<Listed>()).toMatchObject({
      skills: [
        { name: 'both', source: 'workspace', path: 'skills/both', hidesHome: true },
        { name: 'own', source: 'home', path: join(home.path, 'skills/own') },
      ],
      problems: [{ folder: 'broken', source: 'workspace', reason: expect.stringContaining('front matter') }],
    });
    expect(stderr).toContain('"broken"');
    expect((await terminal(['skills', 'list'], { home })).stdout).toContain('in front of the one in the home');
  });

  it('are shown and loaded, and what is new is there at once', async () => {
    const home = testHome();
    expect(await listed(home)).toEqual({ skills: [], problems: [] });
    home.file('skills/new/SKILL.md', skill('new'));
    home.file('skills/new/references/more.md', 'more');
    expect((await run(home, ['show', 'new', '--text'])).stdout).toContain(
      'Do it.\n\nskills/new\n  references/more.md  4 bytes\n',
    );
    const { toolResults } = await ask(home, 'tool:skill_load {"name":"new"}');
    expect(toolResults[0]?.result).toMatchObject({
      ok: true,
      data: {
        name: 'new',
        source: 'workspace',
        content: skill('new'),
        files: [{ path: 'references/more.md', size: 4 }],
      },
      meta: { tainted: true },
    });
    const missing = await run(home, ['show', 'nwe']);
    expect(missing.code).toBe(1);
    expect(missing.stderr).toContain('did you mean new?');
  });

  it('of the home give their files, and nothing else of the home', async () => {
    const home = testHome();
    write(join(home.path, 'skills/own/SKILL.md'), skill('own'));
    write(join(home.path, 'skills/own/references/a.md'), 'reference');
    write(join(home.path, 'auth-profiles.json'), '{}');
    expect(await invoke(home, 'skill_load', { name: 'own', file: 'references/a.md' })).toMatchObject({
      data: { content: 'reference' },
    });
    expect(await invoke(home, 'skill_load', { name: 'own', file: '../../auth-profiles.json' })).toMatchObject({
      ok: false,
    });
  });

  it('grant nothing, whatever they say', async () => {
    const home = testHome();
    home.file('skills/bold/SKILL.md', skill('bold', 'allowed-tools: file_write\nprovider: evil\n'));
    expect(await invoke(home, 'skill_load', { name: 'bold' })).toMatchObject({ ok: true });
    const refused = await invoke(home, 'file_write', { path: 'x', content: 'y' });
    expect(refused).toMatchObject({ ok: false, error: { reason: 'denied' } });
    expect(existsSync(join(home.workspace, 'x'))).toBe(false);
  });
});

describe('skills install', () => {
  it('copies a folder, warns when it changed, and removes it', async () => {
    const home = testHome();
    write(join(home.base, 'mine/SKILL.md'), skill('mine'));
    write(join(home.base, 'mine/scripts/run.sh'), 'touch sprung\n');
    symlinkSync('/etc/passwd', join(home.base, 'mine/passwd'));
    const first = await run(home, ['install', '../mine']);
    expect(first.stderr).toContain('passwd is a link');
    expect(first.json()).toMatchObject({ installed: [{ name: 'mine', files: 2, skipped: ['passwd'] }] });
    const folder = join(home.path, 'skills/mine');
    expect(readdirSync(folder).toSorted()).toEqual(['SKILL.md', 'scripts']);
    expect(statSync(join(home.path, 'skills/.installed.json')).mode & 0o777).toBe(0o600);
    expect((await listed(home)).skills).toMatchObject([
      { name: 'mine', installed: { kind: 'folder', changed: false } },
    ]);

    const again = await run(home, ['install', '../mine']);
    expect([again.code, again.stderr]).toEqual([1, expect.stringContaining('--force')]);
    writeFileSync(join(folder, 'scripts/run.sh'), 'something else');
    const changed = await run(home, ['list']);
    expect(changed.stderr).toContain('"mine" was changed since it was installed');
    expect(changed.json<Listed>().skills[0]?.installed?.changed).toBe(true);
    await run(home, ['install', '../mine', '--force']);
    expect(readFileSync(join(folder, 'scripts/run.sh'), 'utf8')).toBe('touch sprung\n');

    expect((await run(home, ['remove', 'mine', '--text'])).stdout).toBe(`removed ${folder}\n`);
    expect(await listed(home)).toEqual({ skills: [], problems: [] });
  });

  it('reads a git repository', async () => {
    const home = testHome();
    const repository = join(home.base, 'repository');
    for (const name of ['one', 'two']) write(join(repository, `skills/${name}/SKILL.md`), skill(name));
    const git = (...args: string[]) =>
      execFileSync('git', ['-c', 'user.name=t', '-c', 'user.email=t@example.com', ...args], { cwd: repository });
    git('init', '-q');
    git('add', '-A');
    git('commit', '-qm', 'first');
    const several = await run(home, ['install', `file://${repository}`]);
    expect([several.code, several.stderr]).toEqual([1, expect.stringContaining('--skill <names> (one, two)')]);
    const { json } = await run(home, ['install', `file://${repository}`, '--skill', 'two']);
    expect(json()).toMatchObject({
      installed: [{ name: 'two', source: { kind: 'git', commit: expect.stringMatching(/^[0-9a-f]{40}$/) } }],
    });
  });

  it('unpacks a package of a registry and runs none of its scripts', async () => {
    const home = testHome();
    write(join(home.base, 'package/SKILL.md'), skill('packed'));
    const manifest = {
      name: 'a-skill',
      version: '1.0.0',
      scripts: { install: 'touch sprung', prepare: 'touch sprung' },
    };
    write(join(home.base, 'package/package.json'), JSON.stringify(manifest));
    const archive = execFileSync('tar', ['-cz', '-C', home.base, 'package']);
    const registry = await startNpmRegistry({ manifest, archive });
    onTestFinished(() => registry.close());
    const env = { npm_config_registry: registry.url, npm_config_cache: join(home.base, 'npm-cache') };
    const { stderr, json } = await run(home, ['install', 'a-skill@1.0.0'], env);
    expect(stderr).toBe('');
    expect(json()).toMatchObject({ installed: [{ name: 'packed', source: { kind: 'npm', from: 'a-skill@1.0.0' } }] });
    expect(existsSync(join(home.path, 'skills/packed/package.json'))).toBe(true);
    const absent = await run(home, ['install', 'no-such-skill'], env);
    expect([absent.code, absent.stderr]).toEqual([1, expect.stringContaining('error SKILL_FETCH: npm failed')]);
  });

  it('stopped on the way leaves nothing behind, no process either', async () => {
    const home = testHome();
    const started = join(home.base, 'started');
    write(
      join(home.base, 'bin/git'),
      `#!/bin/sh\nsleep 60 & echo $! > ${started}.new && mv ${started}.new ${started}\nwait\n`,
    );
    chmodSync(join(home.base, 'bin/git'), 0o755);
    const env = { PATH: `${join(home.base, 'bin')}:${process.env.PATH}` };
    const running = startLainclaw(['skills', 'install', 'https://example.com/x.git'], { home, env });
    await eventually(() => expect(existsSync(started)).toBe(true));
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    expect(readdirSync(join(home.path, 'skills'))).toEqual([]);
    const child = Number(readFileSync(started, 'utf8'));
    await eventually(() => expect(isRunning(child)).toBe(false));
  });

  it.each([
    [['install', 'http://example.com/x.git'], 'accepted: a folder, a git address', 2],
    [['install', 'ext::sh -c touch% sprung'], 'accepted:', 2],
    [['install', 'https://user:hunter2@example.com/x.git'], 'contains a password', 2],
    [['install', './absent'], 'there is no folder ./absent', 1],
    [['install'], 'source', 2],
    [['remove', 'absent'], 'there is no skill', 1],
  ])('%j ends with the reason', async (args, reason, code) => {
    const finished = await run(testHome(), args);
    expect(finished.stderr).toContain(reason);
    expect(finished.code).toBe(code);
  });
});

/** One that has ended and waits for its parent counts as ended. */
function isRunning(pid: number): boolean {
  const stat = existsSync(`/proc/${pid}/stat`) ? readFileSync(`/proc/${pid}/stat`, 'utf8') : ') Z';
  return stat.slice(stat.lastIndexOf(')') + 2, stat.lastIndexOf(')') + 3) !== 'Z';
}
