// What commands change is taken back like what the file tools change, as far as it could be kept; otherwise that is said.
import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ChangedFile, ListedTurn, Undone } from '../../src/undo/undo.ts';
import { eventually } from '../support/eventually.ts';
import type { Home } from '../support/home.ts';
import { ask, lainclaw, startLainclaw } from '../support/lainclaw.ts';
import { withLongEnough } from '../support/long-enough.ts';
import { testHome } from '../support/test-home.ts';

const bash = (home: Home, command: string) =>
  ask(home, `tool:bash ${JSON.stringify({ command })}`, '--approve=auto', '--session', 'main');
const content = (home: Home, path: string): string => readFileSync(join(home.workspace, path), 'utf8');
const undo = async (home: Home, ...flags: string[]): Promise<Undone> =>
  (await lainclaw(['undo', ...flags], { home })).json<Undone>();
const undoFacts = ({ toolResults }: Awaited<ReturnType<typeof bash>>): unknown => toolResults[0]?.result.meta.undo;

describe.concurrent('a command', () => {
  it('is undone: what it changed, made, removed, moved and made executable', async () => {
    const home = testHome();
    home.file('changed.txt', 'before\n');
    home.file('removed/deep.txt', 'gone\n');
    home.file('moved.txt', 'moved\n');
    home.file('touched.txt', 'same\n');
    home.file('.env', 'KEY=1\n');
    home.file('.gitignore', '.env\n');
    chmodSync(home.file('script.sh', 'echo\n'), 0o644);
    const result = await bash(
      home,
      'echo after > changed.txt; rm -r removed .env; mv moved.txt elsewhere.txt; touch touched.txt; mkdir -p new/deep; echo n > new/deep/file; chmod 755 script.sh',
    );
    expect(undoFacts(result)).toEqual({ files: 7 });
    const diff = (await lainclaw(['sessions', 'diff', '--json'], { home })).json<ChangedFile[]>();
    expect(diff.map(({ path, status }) => `${status} ${path}`)).toEqual([
      'deleted .env',
      'modified changed.txt',
      'created elsewhere.txt',
      'deleted moved.txt',
      'created new/deep/file',
      'deleted removed/deep.txt',
    ]);
    const undone = await undo(home);
    expect(undone.notCovered).toEqual([]);
    expect(readdirSync(home.workspace).sort()).toEqual([
      '.env',
      '.gitignore',
      'changed.txt',
      'moved.txt',
      'removed',
      'script.sh',
      'touched.txt',
    ]);
    expect(content(home, 'changed.txt')).toBe('before\n');
    expect(content(home, 'removed/deep.txt')).toBe('gone\n');
    expect(content(home, '.env')).toBe('KEY=1\n');
    expect(statSync(join(home.workspace, 'script.sh')).mode & 0o777).toBe(0o644);
    await undo(home, '--turn', undone.undoId);
    expect(content(home, 'changed.txt')).toBe('after\n');
  });

  it('is undone together with the file tools of its turn, in their order', async () => {
    const home = testHome();
    home.file('a.txt', '1');
    const calls = [
      { name: 'file_write', args: { path: 'a.txt', content: '2' } },
      { name: 'bash', args: { command: 'echo -n 3 > a.txt' } },
    ];
    await ask(home, `tool:${JSON.stringify(calls)}`, '--approve=auto');
    expect(content(home, 'a.txt')).toBe('3');
    await undo(home);
    expect(content(home, 'a.txt')).toBe('1');
  });

  it('is not undone over what a person changed since', async () => {
    const home = testHome();
    home.file('a.txt', '1');
    await bash(home, 'echo 2 > a.txt');
    writeFileSync(join(home.workspace, 'a.txt'), 'by hand');
    const refused = await lainclaw(['undo'], { home });
    expect(refused.json()).toMatchObject({ error: { code: 'UNDO_CONFLICT' }, conflicts: [{ path: 'a.txt' }] });
  });

  it('that changed nothing, or only reads, is nothing to undo', async () => {
    const home = testHome();
    home.file('a.txt', '1');
    for (const command of ['cat a.txt', 'touch a.txt', 'true && [ -e a.txt ]'])
      expect(undoFacts(await bash(home, command)), command).toBeUndefined();
    expect((await lainclaw(['undo'], { home })).json()).toMatchObject({ error: { code: 'UNDO_NOTHING' } });
  });

  it('is on record also when it was cut short', async () => {
    const home = testHome();
    home.file('a.txt', '1');
    const late = await withLongEnough(
      500,
      (timeoutMs) =>
        ask(home, `tool:bash ${JSON.stringify({ command: 'echo 2 > a.txt; sleep 100', timeoutMs })}`, '--approve=auto'),
      () => content(home, 'a.txt') !== '1',
    );
    expect(late.toolResults[0]?.result).toMatchObject({ ok: false, error: { reason: 'timeout' } });
    await undo(home);
    expect(content(home, 'a.txt')).toBe('1');
    const running = startLainclaw(
      [
        'ask',
        '--approve=auto',
        '--',
        `tool:bash ${JSON.stringify({ command: 'echo 3 > a.txt; echo; touch begun; sleep 100' })}`,
      ],
      { home },
    );
    await eventually(() => expect(existsSync(join(home.workspace, 'begun'))).toBe(true));
    running.kill('SIGINT');
    expect((await running.ended).code).toBe(130);
    await undo(home);
    expect([content(home, 'a.txt'), existsSync(join(home.workspace, 'begun'))]).toEqual(['1', false]);
  });

  it('says what of it is not covered: files too large to keep, and a workspace too large to watch', async () => {
    const home = testHome();
    home.file('large.bin', Buffer.alloc(2 * 1024 * 1024, 'x'));
    home.file('small.txt', '1');
    const part = await bash(home, 'echo >> large.bin; echo 2 > small.txt');
    expect(undoFacts(part)).toEqual({ files: 1, notCovered: 'too large to be kept: large.bin' });
    const { files, notCovered } = await undo(home);
    expect(files).toEqual([{ path: 'small.txt', action: 'restored' }]);
    expect(notCovered).toEqual(['too large to be kept: large.bin']);

    mkdirSync(join(home.workspace, 'many'));
    for (let index = 0; index < 4_001; index += 1) writeFileSync(join(home.workspace, 'many', `${index}`), '');
    expect(undoFacts(await bash(home, 'echo 3 > small.txt'))).toMatchObject({
      files: 0,
      notCovered: expect.stringContaining('more than 4000 files'),
    });
    const { stdout } = await lainclaw(['undo', '--text'], { home });
    expect(stdout).toContain('nothing to put back');
    expect(stdout).toContain('more than 4000 files');
    const [last] = (await lainclaw(['undo', '--list'], { home })).json<ListedTurn[]>().filter(({ undoes }) => !undoes);
    expect(last).toMatchObject({ paths: [], notCovered: [expect.stringContaining('4000')] });
    // With what is ignored left out they are few enough.
    home.file('.gitignore', 'many/\n');
    expect(undoFacts(await bash(home, 'echo 4 > small.txt'))).toEqual({ files: 1 });
  });
});
