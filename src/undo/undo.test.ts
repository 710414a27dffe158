import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { Home } from '../../test/support/home.ts';
import { testHome } from '../../test/support/test-home.ts';
import { createLocks } from '../storage/local/locks.ts';
import { createOwnerFiles } from '../storage/local/owner-files.ts';
import { createLocalUndoRecords } from '../storage/local/undo/local-undo-records.ts';
import type { FileState } from '../storage/undo-records.ts';
import type { CurrentFile, FileAccess } from './restore.ts';
import { createUndo, type Undo } from './undo.ts';
import { createUnfinishedUndos } from './unfinished-undos.ts';

let home: Home;
let undo: Undo;
let files: FileAccess;
let ids: number;

beforeEach(() => {
  home = testHome();
  ids = 0;
  files = plainFiles(home.workspace);
  const locks = createLocks(join(home.path, 'locks'));
  undo = createUndo({
    records: createLocalUndoRecords({ home: home.path, locks, now: () => 1_000_000 + ids * 1000 }),
    locks,
    unfinished: createUnfinishedUndos(createOwnerFiles(home.path, locks)),
    warn() {},
    openFiles: async () => files,
    newId: (prefix) => `${prefix}-${++ids}`,
  });
});

const path = (name: string): string => join(home.workspace, name);
const content = (name: string): string | undefined =>
  existsSync(path(name)) ? readFileSync(path(name), 'utf8') : undefined;
const state = (name: string): FileState | undefined =>
  existsSync(path(name)) ? { bytes: readFileSync(path(name)), mode: statSync(path(name)).mode & 0o777 } : undefined;

/** What a tool does: on record first, then on disk. */
async function change(turnId: string, name: string, text: string | undefined): Promise<void> {
  const parent = dirname(name);
  const madeDirectories = parent !== '.' && !existsSync(path(parent)) ? [parent] : [];
  const after = text === undefined ? undefined : { bytes: Buffer.from(text), mode: state(name)?.mode ?? 0o644 };
  const recorded = { tool: 'file_write', path: name, before: state(name), after, madeDirectories };
  await undo.record({ sessionId: 's', turnId, root: home.workspace }, [recorded]);
  mkdirSync(path(parent), { recursive: true });
  if (text === undefined) rmSync(path(name));
  else writeFileSync(path(name), text);
}

const take = (options: { turnId?: string; force?: boolean } = {}) =>
  undo.undo({ sessionKey: 'main', sessionId: 's', force: false, ...options });

/** The contract on plain files; how a workspace keeps it is tested there. */
function plainFiles(root: string): FileAccess {
  const access: FileAccess = {
    async read(name) {
      const stats = lstatSync(join(root, name), { throwIfNoEntry: false });
      if (!stats) return undefined;
      if (!stats.isFile()) throw new Error(`${name} is not a file`);
      const { ino, mtimeMs } = stats;
      return { bytes: readFileSync(join(root, name)), mode: stats.mode & 0o777, fingerprint: `${ino} ${mtimeMs}` };
    },
    removeTemporary: async () => {},
    async write(name, { bytes, mode }, expected) {
      await expectSame(name, expected);
      mkdirSync(dirname(join(root, name)), { recursive: true });
      writeFileSync(join(root, name), bytes);
      chmodSync(join(root, name), mode);
    },
    async remove(name, expected) {
      await expectSame(name, expected);
      rmSync(join(root, name));
    },
    removeEmptyDirectory: async (name) => rmdirSync(join(root, name)),
  };
  async function expectSame(name: string, expected: CurrentFile | undefined): Promise<void> {
    if ((await access.read(name))?.fingerprint !== expected?.fingerprint) throw new Error(`${name} has changed`);
  }
  return access;
}

it('puts files back as they were: overwritten, created, deleted, mode and directories included', async () => {
  home.file('old', 'old');
  home.file('gone', 'gone');
  chmodSync(path('gone'), 0o755);
  await change('t1', 'old', 'new');
  await change('t1', 'old', 'newer');
  await change('t1', 'd/created', 'x');
  await change('t1', 'gone', undefined);
  expect(await take()).toMatchObject({
    turnId: 't1',
    undoId: 'undo-1',
    root: home.workspace,
    files: [
      { path: 'old', action: 'restored' },
      { path: 'd/created', action: 'deleted' },
      { path: 'gone', action: 'recreated' },
    ],
  });
  expect([content('old'), content('gone'), existsSync(path('d'))]).toEqual(['old', 'gone', false]);
  expect(statSync(path('gone')).mode & 0o777).toBe(0o755);
});

it('goes back turn by turn, and an undo can be undone', async () => {
  await change('t1', 'a', '1');
  await change('t2', 'a', '2');
  await take();
  expect(content('a')).toBe('1');
  await take();
  expect(content('a')).toBeUndefined();
  await expect(take()).rejects.toMatchObject({ code: 'UNDO_NOTHING' });
  await take({ turnId: 'undo-2' });
  expect(content('a')).toBe('1');
  await take({ turnId: 'undo-1' });
  expect(content('a')).toBe('2');
  // Brought back, it is the newest again.
  expect(await take()).toMatchObject({ turnId: 't2' });
  expect(content('a')).toBe('1');
  expect(await undo.turns('s')).toMatchObject([
    { turnId: 'undo-5', undoes: 't2', undone: false },
    { turnId: 'undo-4', undoes: 'undo-1' },
    { turnId: 'undo-3', undoes: 'undo-2' },
    { turnId: 'undo-2', undone: true },
    { turnId: 'undo-1', undone: true },
    { turnId: 't2', undone: true, paths: ['a'] },
    { turnId: 't1', undone: false },
  ]);
});

it('refuses to overwrite later changes, says which, and touches nothing', async () => {
  home.file('a', 'a');
  home.file('b', 'b');
  home.file('c', 'c');
  for (const name of ['a', 'b', 'c', 'new']) await change('t1', name, `${name} by the agent`);
  writeFileSync(path('b'), 'by hand');
  rmSync(path('c'));
  await change('t2', 'new', 'again by the agent');
  const conflicts = [
    { path: 'b', reason: 'it was changed since' },
    { path: 'c', reason: 'it was deleted since' },
    { path: 'new', reason: 'it was changed again by t2: undo that first' },
  ];
  await expect(take({ turnId: 't1' })).rejects.toMatchObject({
    code: 'UNDO_CONFLICT',
    conflicts,
    message: expect.stringContaining('b (it was changed since)'),
  });
  expect([content('a'), content('b')]).toEqual(['a by the agent', 'by hand']);
  const { undoId } = await take({ turnId: 't1', force: true });
  expect([content('a'), content('b'), content('c'), content('new')]).toEqual(['a', 'b', 'c', undefined]);
  await take({ turnId: undoId });
  expect([content('a'), content('b'), content('c'), content('new')]).toEqual([
    'a by the agent',
    'by hand',
    undefined,
    'again by the agent',
  ]);
});

it('does not mind what is already as it was, nor a change that was recorded and never made', async () => {
  home.file('a', 'a');
  await change('t1', 'a', 'changed');
  await undo.record({ sessionId: 's', turnId: 't1', root: home.workspace }, [
    {
      tool: 'file_write',
      path: 'never',
      before: undefined,
      after: { bytes: Buffer.from('x'), mode: 0o644 },
      madeDirectories: [],
    },
  ]);
  writeFileSync(path('a'), 'a');
  expect((await take()).files).toEqual([
    { path: 'a', action: 'unchanged' },
    { path: 'never', action: 'unchanged' },
  ]);
});

it('leaves permissions that a person has changed since', async () => {
  home.file('run.sh', 'a');
  await change('t1', 'run.sh', 'b');
  chmodSync(path('run.sh'), 0o755);
  await take();
  expect(content('run.sh')).toBe('a');
  expect(statSync(path('run.sh')).mode & 0o777).toBe(0o755);
});

it('refuses, also with force, where something else is in the way', async () => {
  home.file('b', 'elsewhere');
  await change('t1', 'a', 'x');
  rmSync(path('a'));
  mkdirSync(path('a'));
  await expect(take({ force: true })).rejects.toMatchObject({ code: 'UNDO_CONFLICT', conflicts: [{ path: 'a' }] });
  rmSync(path('a'), { recursive: true });
  symlinkSync('b', path('a'));
  await expect(take({ force: true })).rejects.toMatchObject({ code: 'UNDO_CONFLICT', conflicts: [{ path: 'a' }] });
  expect(content('b')).toBe('elsewhere');
});

it('takes back what it has done when one file fails, and keeps no record of it', async () => {
  for (const name of ['a', 'b', 'c']) home.file(name, name);
  for (const name of ['a', 'b', 'c', 'd']) await change('t1', name, `${name}!`);
  const real = files;
  files = {
    ...real,
    remove: () => Promise.reject(new Error('the disk is full')),
  };
  await expect(take()).rejects.toMatchObject({ code: 'UNDO_FAILED', message: 't1 was not undone: the disk is full' });
  expect(['a', 'b', 'c', 'd'].map(content)).toEqual(['a!', 'b!', 'c!', 'd!']);
  files = real;
  expect(await take()).toMatchObject({ turnId: 't1' });
  expect(['a', 'b', 'c', 'd'].map(content)).toEqual(['a', 'b', 'c', undefined]);
});

it('finds a turn by the beginning of its id, and says when there is none or several', async () => {
  await change('turn-abc', 'a', '1');
  await change('turn-abd', 'b', '2');
  await expect(take({ turnId: 'turn-ab' })).rejects.toMatchObject({
    code: 'UNDO_UNKNOWN_TURN',
    message: expect.stringContaining('2 turns begin with "turn-ab"'),
  });
  await expect(take({ turnId: 'nope' })).rejects.toMatchObject({ code: 'UNDO_UNKNOWN_TURN' });
  await take({ turnId: 'turn-abc' });
  await expect(take({ turnId: 'turn-abc' })).rejects.toMatchObject({
    code: 'UNDO_ALREADY',
    message: expect.stringContaining('bring it back with --turn undo-1'),
  });
  expect([content('a'), content('b')]).toEqual([undefined, '2']);
});

it('shows what a turn changed, and what all of them together', async () => {
  home.file('a', 'one\n');
  await change('t1', 'a', 'two\n');
  await change('t1', 'b', 'new\n');
  await change('t2', 'a', 'three\n');
  expect(await undo.diff({ sessionId: 's', turnId: 't1' })).toMatchObject([
    { path: 'a', status: 'modified', added: 1, removed: 1, diff: expect.stringContaining('-one\n+two\n') },
    { path: 'b', status: 'created', diff: '--- /dev/null\n+++ b/b\n@@ -0,0 +1 @@\n+new\n' },
  ]);
  expect(await undo.diff({ sessionId: 's' })).toMatchObject([
    { path: 'a', diff: expect.stringContaining('-one\n+three\n') },
    { path: 'b' },
  ]);
  await take();
  await take();
  expect(await undo.diff({ sessionId: 's' })).toEqual([]);
  await expect(undo.diff({ sessionId: 's', turnId: 'x' })).rejects.toMatchObject({ code: 'UNDO_UNKNOWN_TURN' });
});
