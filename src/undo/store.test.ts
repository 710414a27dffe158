import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { testHome } from '../../test/support/test-home.ts';
import type { Change } from './changes.ts';
import { createUndoStore, type StoreOptions } from './store.ts';

const DAY = 24 * 60 * 60 * 1000;

function openStore(options: Partial<StoreOptions> = {}) {
  const home = testHome();
  let now = 1_000_000;
  const store = createUndoStore({ home: home.path, now: () => now, ...options });
  const scope = (turnId: string) => ({ sessionId: 's', turnId, root: '/ws' });
  return { store, home, scope, later: (ms: number) => (now += ms) };
}

function change(path: string, before: string | Buffer | undefined, after: string | Buffer | undefined): Change {
  const state = (content: string | Buffer | undefined) =>
    content === undefined ? undefined : { bytes: Buffer.from(content), mode: 0o640 };
  return { tool: 'file_write', path, before: state(before), after: state(after), madeDirectories: [] };
}

it('keeps changes by session and turn, in order, with their contents', async () => {
  const { store, scope } = openStore();
  await store.add(scope('t1'), [{ ...change('d/a', undefined, 'one'), madeDirectories: ['d'] }]);
  await store.add(scope('t1'), [change('d/a', 'one', 'two'), change('b', 'x', undefined)]);
  await store.add({ ...scope('t2'), sessionId: 'other' }, [change('c', '1', '2')]);
  await store.add(scope('u1'), [], { undoes: 't1' });
  const turns = await store.turns('s');
  expect(turns).toMatchObject([
    { turnId: 't1', root: '/ws', recordedAt: 1_000_000, undoes: undefined },
    { turnId: 'u1', undoes: 't1' },
  ]);
  const changes = turns[0] ? await store.changes(turns[0]) : [];
  expect(changes.map(({ kind, path }) => [kind, path])).toEqual([
    ['made-directory', 'd'],
    ['file', 'd/a'],
    ['file', 'd/a'],
    ['file', 'b'],
  ]);
  const [, first, second, third] = changes;
  expect(first?.before).toBeUndefined();
  expect(second?.before).toEqual(first?.after);
  expect(third?.after).toBeUndefined();
  expect(second?.after?.mode).toBe(0o640);
  expect((await store.content(second?.after?.sha256 ?? '')).toString()).toBe('two');
  expect(await store.whoLeft('/ws', 'd/a', second?.after?.sha256 ?? '')).toBe('t1');
  expect(await store.whoLeft('/ws', 'other', second?.after?.sha256 ?? '')).toBeUndefined();
});

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
  store.close();
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

it('forgets a turn when told to', async () => {
  const { store, scope } = openStore();
  await store.add(scope('t1'), [change('a', '1', '2')]);
  await store.forget(scope('t1'));
  expect(await store.turns('s')).toEqual([]);
});

it('is shared by several writers', async () => {
  const { store, home, scope } = openStore();
  const other = createUndoStore({ home: home.path, now: () => 1 });
  await Promise.all(
    Array.from({ length: 20 }, (_, turn) =>
      (turn % 2 ? store : other).add(scope(`t${turn}`), [change('a', 'x', `${turn}`)]),
    ),
  );
  expect(await store.turns('s')).toHaveLength(20);
  other.close();
});
