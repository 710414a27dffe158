import { mkdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { testHome } from '../../../test/support/test-home.ts';
import { createLocalStorage } from '../../storage/local/local-storage.ts';
import { createPermissionStore, type PermissionStore } from './store.ts';

const TURN = { sessionId: 'session-1', tainted: false };

function opened(): { store: PermissionStore; again(): PermissionStore; path: string } {
  const { path: home } = testHome();
  mkdirSync(home, { recursive: true });
  const open = (): PermissionStore => {
    const { ownerFiles: files, resultCache } = createLocalStorage({ home, now: Date.now, onRebuild() {} });
    return createPermissionStore({
      files,
      resultCache,
      tools: [{ name: 'bash', rules: { pattern: 'command' } }, { name: 'file_write' }],
      workspaceRoot: '/a',
    });
  };
  return { store: open(), again: open, path: join(home, 'permissions.json') };
}

const textsOf = async (store: PermissionStore, sessionId?: string): Promise<string[]> =>
  (await store.remembered(sessionId)).map(({ rule, tainted }) => `${rule.text}${tainted ? ' tainted' : ''}`);

describe('permissions.json', () => {
  it('need not exist, and is read again every time', async () => {
    const { store, path } = opened();
    expect(await store.rules()).toEqual({ ok: true, rules: { allow: [], ask: [], deny: [] } });
    writeFileSync(path, '{"version":1,"deny":["bash"]}');
    expect(await store.rules()).toMatchObject({ ok: true, rules: { deny: [{ text: 'bash' }] } });
    writeFileSync(path, '{"version":1,"deny":["bsh"]}');
    expect(await store.rules()).toMatchObject({ ok: false, errors: [expect.stringContaining('"bash"')] });
  });

  it('keeps every "always", also of two at the same time, for the owner only', async () => {
    const { store, again, path } = opened();
    await Promise.all([
      store.remember('always', ['bash(make)'], TURN),
      again().remember('always', ['file_write(a.txt)'], TURN),
    ]);
    await store.remember('always', ['bash(make)'], TURN);
    const { workspaces } = JSON.parse(readFileSync(path, 'utf8')) as { workspaces: { '/a': { allow: string[] } } };
    expect(workspaces['/a'].allow.sort()).toEqual(['bash(make)', 'file_write(a.txt)']);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it('with a mistake in it is never rewritten', async () => {
    const { store, path } = opened();
    writeFileSync(path, '{"version":1,"alow":[]}');
    await store.remember('always', ['bash(make)'], TURN);
    expect(readFileSync(path, 'utf8')).toBe('{"version":1,"alow":[]}');
  });
});

describe('answers for a session', () => {
  it('are known to a later process, in that session only', async () => {
    const { store, again } = opened();
    await store.remember('session', ['bash(make)'], TURN);
    await store.remember('session', ['bash(make)', 'bash(ls)'], { ...TURN, tainted: true });
    expect(await textsOf(again(), 'session-1')).toEqual(['bash(make)', 'bash(make) tainted', 'bash(ls) tainted']);
    expect(await textsOf(again(), 'session-2')).toEqual([]);
    expect(await textsOf(again())).toEqual([]);
  });

  it('leave nothing behind when given once, or without a session', async () => {
    const { store, path } = opened();
    await store.remember('once', ['bash(make)'], TURN);
    await store.remember('session', ['bash(make)'], { tainted: false });
    expect(await textsOf(store, 'session-1')).toEqual([]);
    expect(statSync(path, { throwIfNoEntry: false })).toBeUndefined();
  });
});

it('an answer that an earlier version kept counts as it was given', async () => {
  const { path: home } = testHome();
  mkdirSync(home, { recursive: true });
  const { ownerFiles: files, resultCache } = createLocalStorage({ home, now: Date.now, onRebuild() {} });
  const answers = [
    { text: 'bash(npm test)', marked: true },
    { text: 'bash(ls)', marked: false },
  ];
  await resultCache.put('session-1', 'permission answers', JSON.stringify(answers));
  const store = createPermissionStore({
    files,
    resultCache,
    tools: [{ name: 'bash', rules: { pattern: 'command' } }],
    workspaceRoot: '/a',
  });
  expect((await store.remembered('session-1')).map(({ tainted }) => tainted)).toEqual([true, false]);
});
