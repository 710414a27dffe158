// The audit log through the command line: what is in it, and that nobody changes it unseen.
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Home } from '../support/home.ts';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

interface Line {
  n: number;
  kind: string;
  who: string;
  what: string;
  about?: string;
  outcome?: string;
  why?: string;
  session?: string;
}

interface Report {
  isSound: boolean;
  lines: number;
  anchor?: { n: number; hash: string };
  problems: { problem: string; n: number; through?: number; line: number }[];
}

async function shown(home: Home, ...flags: string[]): Promise<Line[]> {
  return (await lainclaw(['audit', 'show', ...flags], { home })).json<{ lines: Line[] }>().lines;
}

async function verified(home: Home, ...flags: string[]): Promise<Report & { code: number | null }> {
  const finished = await lainclaw(['audit', 'verify', ...flags], { home });
  return { ...finished.json<Report>(), code: finished.code };
}

const logOf = (home: Home): string => {
  const folder = join(home.path, 'audit');
  return join(folder, readdirSync(folder)[0] ?? '');
};

async function livedIn(): Promise<Home> {
  const home = testHome();
  await ask(home, 'tool:time.now', '--session', 'clock');
  await lainclaw(['config', 'set', 'language', 'ru'], { home });
  await lainclaw(['trust', 'add', home.workspace], { home });
  await lainclaw(['permissions', 'add', 'bash(make)'], { home });
  const args = JSON.stringify({ path: 'a.txt', content: 'x' });
  await lainclaw(['tools', 'invoke', 'file_write', '--args', args], { home });
  await lainclaw(['tools', 'invoke', 'file_write', '--args', args, '--mode', 'auto'], { home });
  return home;
}

describe('lainclaw audit', () => {
  it('shows tool calls, refusals and changes of settings, rights and trust, with the reason', async () => {
    const home = await livedIn();
    const lines = (await shown(home)).filter(({ kind }) => kind !== 'tool-result');
    expect(lines.map(({ kind, what, outcome }) => `${kind} ${what} ${outcome}`)).toEqual([
      'tool-call time.now allowed',
      'operation config.set ok',
      'operation trust.add ok',
      'operation permissions.add ok',
      'tool-call file_write denied',
      'operation tools.invoke ok',
      'tool-call file_write allowed',
      'operation tools.invoke ok',
    ]);
    expect(lines[0]).toMatchObject({ who: 'owner', session: 'clock', why: 'it only reads' });
    expect(lines[6]).toMatchObject({ about: 'a.txt', why: 'the mode auto allows it' });
    expect(await shown(home, '--outcome', 'denied')).toHaveLength(1);
    expect(await shown(home, '--what', 'trust')).toMatchObject([{ what: 'trust.add', who: 'owner (terminal)' }]);
    expect(await shown(home, '--since', '2999-01-01')).toEqual([]);
  });

  it('names the line that was changed, and those that were removed, also at the end', async () => {
    const home = await livedIn();
    const { anchor, ...sound } = await verified(home);
    expect(sound).toMatchObject({ isSound: true, code: 0 });
    const stored = readFileSync(logOf(home), 'utf8');
    writeFileSync(logOf(home), stored.replace('bash(make)', 'bash(rake)'));
    const [changed] = await shown(home, '--what', 'permissions.add');
    expect(await verified(home)).toMatchObject({ code: 1, problems: [{ problem: 'changed', n: changed?.n }] });
    writeFileSync(logOf(home), `${stored.split('\n').slice(0, 4).join('\n')}\n`);
    expect(await verified(home)).toMatchObject({
      code: 1,
      problems: [{ problem: 'missing', n: 5, through: sound.lines }],
    });
    rmSync(join(home.path, 'audit-head.json'));
    const noted = `${anchor?.n}:${anchor?.hash}`;
    const { problems } = await verified(home, '--anchor', noted);
    expect(problems.map(({ problem }) => problem)).toEqual(['no-head', 'wrong-anchor']);
  });

  it('exports what is stored, and a table', async () => {
    const home = await livedIn();
    const { stdout } = await lainclaw(['audit', 'export'], { home });
    expect(stdout).toBe(readFileSync(logOf(home), 'utf8'));
    const file = join(home.base, 'log.csv');
    const written = await lainclaw(['audit', 'export', '--format', 'csv', '--kind', 'operation', '--output', file], {
      home,
    });
    expect(written.json()).toMatchObject({ success: true, lines: 5 });
    expect(readFileSync(file, 'utf8').split('\n')[1]).toContain('owner (terminal),config.set,"{""key"":""language""');
  });

  it('holds no secret', async () => {
    const home = testHome();
    const bash = JSON.stringify({ command: 'echo sk-abcdefgh12345678 $(echo opensesame1)' });
    const env = { SOME_API_TOKEN: 'opensesame1' };
    await lainclaw(['tools', 'invoke', 'bash', '--args', bash, '--mode', 'auto'], { home, env });
    await lainclaw(['auth', 'login', 'openai', '--api-key-stdin', '--no-check'], {
      home,
      stdin: 'plain-looking-key\n',
    });
    const stored = readFileSync(logOf(home), 'utf8');
    for (const secret of ['abcdefgh12345678', 'opensesame1', 'plain-looking-key']) expect(stored).not.toContain(secret);
  });

  it('stays with the home when a backup is restored, and comes with the backup into an empty one', async () => {
    const home = await livedIn();
    const file = join(home.base, 'a.backup');
    await lainclaw(['backup', '--output', file], { home });
    await lainclaw(['config', 'set', 'language', 'en'], { home });
    await lainclaw(['restore', file, '--yes'], { home });
    const after = (await shown(home)).slice(-3).map(({ what }) => what);
    expect(after).toEqual(['backup.create', 'config.set', 'backup.restore']);
    expect(await verified(home)).toMatchObject({ isSound: true });
    const other = testHome();
    await lainclaw(['restore', file], { home: other });
    expect((await shown(other)).map(({ what }) => what)).toContain('trust.add');
    expect((await shown(other)).at(-1)).toMatchObject({ what: 'backup.restore' });
    expect(await verified(other)).toMatchObject({ isSound: true });
  });

  it('has no line after a turn without tools, and costs it nothing', async () => {
    const home = testHome();
    await ask(home, 'hello');
    expect(readdirSync(home.path)).not.toContain('audit');
  });
});
