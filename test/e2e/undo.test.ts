import { chmodSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { ChangedFile, ListedTurn, Undone } from '../../src/undo/undo.ts';
import type { Home } from '../support/home.ts';
import { ask, lainclaw } from '../support/lainclaw.ts';
import { testHome } from '../support/test-home.ts';

const act = (home: Home, calls: object[], ...flags: string[]) =>
  ask(home, `tool:${JSON.stringify(calls)}`, '--approve=auto', ...flags);
const write = (path: string, content: string) => ({ name: 'file_write', args: { path, content } });
const edit = (path: string, oldText: string, newText: string) => ({
  name: 'file_edit',
  args: { path, oldText, newText },
});
const content = (home: Home, path: string): string => readFileSync(join(home.workspace, path), 'utf8');

async function undo(home: Home, ...flags: string[]): Promise<Undone & { success: boolean }> {
  const finished = await lainclaw(['undo', ...flags], { home });
  expect(finished.stderr).toBe('');
  expect(finished.code).toBe(0);
  return finished.json<Undone & { success: boolean }>();
}

describe('lainclaw undo', () => {
  it('puts the files of the last turn back, from any directory', async () => {
    const home = testHome();
    const path = home.file('a.txt', 'one\ntwo\n');
    chmodSync(path, 0o755);
    await act(home, [edit('a.txt', 'one', '1'), write('new/deep/b.txt', 'b'), edit('a.txt', 'two', '2')]);
    expect(content(home, 'a.txt')).toBe('1\n2\n');
    const finished = await lainclaw(['undo'], { home, cwd: home.base });
    expect(finished.json()).toMatchObject({
      success: true,
      sessionKey: 'main',
      root: home.workspace,
      files: [
        { path: 'a.txt', action: 'restored' },
        { path: 'new/deep/b.txt', action: 'deleted' },
      ],
    });
    expect(content(home, 'a.txt')).toBe('one\ntwo\n');
    expect(statSync(path).mode & 0o777).toBe(0o755);
    expect(readdirSync(home.workspace)).toEqual(['a.txt']);
  });

  it('goes back turn by turn, names a turn, and can itself be undone', async () => {
    const home = testHome();
    for (const step of ['1', '2', '3']) await act(home, [write('a.txt', step)]);
    const list = (await lainclaw(['undo', '--list'], { home })).json<ListedTurn[]>();
    expect(list).toHaveLength(3);
    const turnIds = home.lines().flatMap((line) => (line.type === 'turn-start' ? [line.turnId] : []));
    expect(list.map(({ turnId }) => turnId)).toEqual(turnIds.toReversed());
    const { undoId } = await undo(home, '--turn', 'last');
    expect(content(home, 'a.txt')).toBe('2');
    await undo(home);
    expect(content(home, 'a.txt')).toBe('1');
    const again = await lainclaw(['undo', '--turn', turnIds[2] ?? ''], { home });
    expect(again.code).toBe(1);
    expect(again.json()).toMatchObject({ success: false, error: { code: 'UNDO_ALREADY' } });
    const conflict = await lainclaw(['undo', '--turn', undoId], { home });
    expect(conflict.json()).toMatchObject({ error: { code: 'UNDO_CONFLICT' }, conflicts: [{ path: 'a.txt' }] });
    await undo(home, '--turn', undoId, '--force');
    expect(content(home, 'a.txt')).toBe('3');
  });

  it('refuses to overwrite what a person changed since, says which file, and does so with --force', async () => {
    const home = testHome();
    home.file('a.txt', 'a');
    home.file('b.txt', 'b');
    await act(home, [write('a.txt', 'a by the agent'), write('b.txt', 'b by the agent')]);
    writeFileSync(join(home.workspace, 'b.txt'), 'b by hand');
    const refused = await lainclaw(['undo', '--text'], { home });
    expect(refused.code).toBe(1);
    expect(refused.stderr).toMatch(
      /^error UNDO_CONFLICT: turn-\w+ was not undone: b\.txt \(it was changed since\); --force/,
    );
    expect([content(home, 'a.txt'), content(home, 'b.txt')]).toEqual(['a by the agent', 'b by hand']);
    await undo(home, '--force');
    expect([content(home, 'a.txt'), content(home, 'b.txt')]).toEqual(['a', 'b']);
  });

  it('keeps sessions apart, and what was done without one', async () => {
    const home = testHome();
    await act(home, [write('main.txt', 'x')]);
    await act(home, [write('other.txt', 'x')], '--session', 'other');
    const args = ['tools', 'invoke', 'file_write', '--approve=auto', '--args', '{"path":"cli.txt","content":"x"}'];
    expect((await lainclaw(args, { home })).code).toBe(0);
    await undo(home, '--session', 'other');
    expect(readdirSync(home.workspace).sort()).toEqual(['cli.txt', 'main.txt']);
    await undo(home, '--session', 'cli');
    expect(readdirSync(home.workspace)).toEqual(['main.txt']);
    const { sessionId } = home.entry();
    await ask(home, 'hello', '--new-session');
    expect((await lainclaw(['undo'], { home })).json()).toMatchObject({ error: { code: 'UNDO_NOTHING' } });
    await undo(home, '--session', sessionId);
    expect(readdirSync(home.workspace)).toEqual([]);
    const again = await lainclaw(['undo', '--session', sessionId], { home });
    expect(again.stderr).toContain('there is nothing to undo: what this session changed was taken back already');
    const unknown = await lainclaw(['undo', '--session', 'nobody'], { home });
    expect([unknown.code, unknown.json()]).toMatchObject([1, { error: { code: 'SESSION_NOT_FOUND' } }]);
  });

  it('shows what the agent changed', async () => {
    const home = testHome();
    home.file('a.txt', 'one\ntwo\n');
    await act(home, [edit('a.txt', 'two', '2')]);
    await act(home, [write('b.txt', 'new\n'), edit('a.txt', 'one', '1')]);
    const diff = async (...flags: string[]) =>
      (await lainclaw(['sessions', 'diff', ...flags], { home })).json<ChangedFile[]>();
    expect(await diff()).toMatchObject([
      { path: 'a.txt', status: 'modified', diff: expect.stringContaining('-one\n-two\n+1\n+2\n') },
      { path: 'b.txt', status: 'created' },
    ]);
    const [last] = (await lainclaw(['undo', '--list'], { home })).json<ListedTurn[]>();
    expect(await diff('main', '--turn', last?.turnId ?? '')).toMatchObject([
      { path: 'a.txt', diff: expect.stringContaining('-one\n+1\n 2\n') },
      { path: 'b.txt' },
    ]);
  });

  it('keeps its record private, and says so when there is none', async () => {
    const home = testHome();
    await act(home, [write('a.txt', 'secret')]);
    const directory = join(home.path, 'undo');
    expect(statSync(directory).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(directory)) expect(statSync(join(directory, name)).mode & 0o777, name).toBe(0o600);
    const empty = testHome();
    await ask(empty, 'hello');
    expect((await lainclaw(['undo'], { home: empty })).json()).toMatchObject({ error: { code: 'UNDO_NOTHING' } });
    expect(existsSync(join(empty.workspace, 'a.txt'))).toBe(false);
  });
});
