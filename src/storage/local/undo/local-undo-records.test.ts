import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { describeUndoRecords } from '../../../../test/conformance/undo-records.ts';
import { testHome } from '../../../../test/support/test-home.ts';
import type { FileChange } from '../../undo-records.ts';
import { createLocalStorage } from '../local-storage.ts';
import { createLocks } from '../locks.ts';
import { createLocalUndoRecords, type LocalUndoRecordsOptions } from './local-undo-records.ts';

describeUndoRecords('local storage', () => {
  const home = testHome().path;
  return { open: () => createLocalStorage({ home, now: Date.now }) };
});

const DAY = 24 * 60 * 60 * 1000;

function openStore(options: Partial<LocalUndoRecordsOptions> = {}) {
  const home = testHome();
  let now = 1_000_000;
  const store = createLocalUndoRecords({
    home: home.path,
    locks: createLocks(join(home.path, 'locks')),
    now: () => now,
    ...options,
  });
  const scope = (turnId: string) => ({ sessionId: 's', turnId, root: '/ws' });
  return { store, home, scope, later: (ms: number) => (now += ms) };
}

function change(path: string, before: string | Buffer | undefined, after: string | Buffer | undefined): FileChange {
  const state = (content: string | Buffer | undefined) =>
    content === undefined ? undefined : { bytes: Buffer.from(content), mode: 0o640 };
  return { tool: 'file_write', path, before: state(before), after: state(after), madeDirectories: [] };
}

it('stores a content once, compressed where that saves something, and private', async () => {
  const { store, home, scope } = openStore();
  const text = 'the same line again and again\n'.repeat(30_000);
  const noise = Buffer.from(Array.from({ length: 20_000 }, () => Math.floor(Math.random() * 256)));
  for (let turn = 0; turn < 20; turn += 1)
    await store.add(scope(`t${turn}`), [change('a', text, noise), change('b', noise, text)]);
  const turns = await store.turns('s');
  const [{ before, after } = {}] = turns[0] ? await store.changes(turns[0]) : [];
  expect((await store.content(before?.sha256 ?? '')).toString()).toBe(text);
  expect((await store.content(after?.sha256 ?? '')).equals(noise)).toBe(true);
  const directory = join(home.path, 'undo');
  const files = readdirSync(directory).map((name) => statSync(join(directory, name)));
  expect(files.reduce((sum, { size }) => sum + size, 0)).toBeLessThan(text.length);
  expect(files.every(({ mode }) => (mode & 0o777) === 0o600)).toBe(true);
  expect(statSync(directory).mode & 0o777).toBe(0o700);
});

it('drops the oldest turns when it grows too large, never the one at hand', async () => {
  const { store, scope, home } = openStore({ maxBytes: 100_000 });
  const noise = (): Buffer => Buffer.from(Array.from({ length: 30_000 }, () => Math.floor(Math.random() * 256)));
  for (let turn = 0; turn < 30; turn += 1) await store.add(scope(`t${turn}`), [change('a', undefined, noise())]);
  const turns = (await store.turns('s')).map(({ turnId }) => turnId);
  expect(turns.at(-1)).toBe('t29');
  expect(turns.length).toBeLessThanOrEqual(3);
  await store.close();
  expect(statSync(join(home.path, 'undo', 'undo.db')).size).toBeLessThan(400_000);
  const alone = openStore({ maxBytes: 10 });
  await alone.store.add(alone.scope('large'), [change('a', undefined, noise())]);
  expect(await alone.store.turns('s')).toHaveLength(1);
});

it('drops turns that are too old, and what only they used', async () => {
  const { store, scope, later } = openStore({ maxAgeMs: 30 * DAY });
  await store.add(scope('old'), [change('a', 'only the old turn', 'shared')]);
  const [old] = await store.turns('s');
  const [{ before, after } = {}] = old ? await store.changes(old) : [];
  later(31 * DAY);
  await store.add(scope('new'), [change('a', 'shared', 'newest')]);
  expect((await store.turns('s')).map(({ turnId }) => turnId)).toEqual(['new']);
  await expect(store.content(before?.sha256 ?? '')).rejects.toMatchObject({ name: 'StorageError' });
  expect((await store.content(after?.sha256 ?? '')).toString()).toBe('shared');
});

it('is shared by several writers', async () => {
  const { store, home, scope } = openStore();
  const other = createLocalUndoRecords({ home: home.path, locks: createLocks(join(home.path, 'locks')), now: () => 1 });
  await Promise.all(
    Array.from({ length: 20 }, (_, turn) =>
      (turn % 2 ? store : other).add(scope(`t${turn}`), [change('a', 'x', `${turn}`)]),
    ),
  );
  expect(await store.turns('s')).toHaveLength(20);
  other.close();
});
