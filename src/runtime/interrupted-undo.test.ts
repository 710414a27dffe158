// Undos whose process was killed, as the next command finds them. Kills of real processes: test/e2e/undo-kill.test.ts.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import type { Home } from '../../test/support/home.ts';
import { testHome } from '../../test/support/test-home.ts';
import { createLocks } from '../storage/local/locks.ts';
import { createOwnerFiles } from '../storage/local/owner-files.ts';
import { createLocalUndoRecords } from '../storage/local/undo/local-undo-records.ts';
import type { Locks } from '../storage/locks.ts';
import type { UndoRecords } from '../storage/undo-records.ts';
import type { FileAccess } from '../undo/restore.ts';
import { createUndo, type Undo } from '../undo/undo.ts';
import { createUnfinishedUndos, type UnfinishedUndos } from '../undo/unfinished-undos.ts';
import { createWorkspace } from '../workspace/confined.ts';
import { createFileAccess } from '../workspace/file-access.ts';

let home: Home;
let locks: Locks;
let records: UndoRecords;
let unfinished: UnfinishedUndos;
let warnings: string[];
let undo: Undo;
let openFiles: (root: string) => Promise<FileAccess>;

beforeEach(() => {
  home = testHome();
  warnings = [];
  const local = createLocks(join(home.path, 'locks'));
  locks = local;
  records = createLocalUndoRecords({ home: home.path, locks: local, now: Date.now });
  unfinished = createUnfinishedUndos(createOwnerFiles(home.path, local));
  openFiles = async (root) => createFileAccess(await createWorkspace({ root }), 1_000_000);
  let ids = 0;
  undo = createUndo({
    records,
    locks,
    unfinished,
    openFiles: (root) => openFiles(root),
    newId: (prefix) => `${prefix}-${++ids}`,
    warn: (text) => warnings.push(text),
  });
});

const content = (name: string): string => readFileSync(join(home.workspace, name), 'utf8');
const state = (text: string) => ({ bytes: Buffer.from(text), mode: 0o644 });
const scope = (turnId: string, sessionId = 's') => ({ sessionId, turnId, root: home.workspace });
const edit = (path: string, before: string, after: string) => ({
  tool: 'file_write',
  path,
  before: state(before),
  after: state(after),
  madeDirectories: [],
});
const take = (turnId?: string, sessionId = 's') =>
  undo.undo({ sessionKey: `key-${sessionId}`, sessionId, force: false, turnId });

/** A turn that changed `a`, `b` and `c` from 1 to 2, after one that changed them from 0; its undo was killed after `a`. */
async function interrupt(sessionId = 's', prefix = ''): Promise<void> {
  const names = ['a', 'b', 'c'].map((name) => prefix + name);
  await records.add(
    scope('t1', sessionId),
    names.map((name) => edit(name, '0', '1')),
  );
  await records.add(
    scope('t2', sessionId),
    names.map((name) => edit(name, '1', '2')),
  );
  await unfinished.begin({ undoId: 'killed', sessionKey: `key-${sessionId}`, sessionId });
  await records.add(
    scope('killed', sessionId),
    names.map((name) => edit(name, '2', '1')),
    { undoes: 't2' },
  );
  for (const [index, name] of names.entries()) home.file(name, index === 0 ? '1' : '2');
  home.file(`${prefix}.lainclaw-killed.tmp`, 'half of');
}

const contents = (): string[] => ['a', 'b', 'c'].map(content);
const undone = async (): Promise<unknown> =>
  Object.fromEntries((await undo.turns('s')).map((turn) => [turn.turnId, turn.undone]));

it('the next undo finishes it, reports it, and goes no further back; the one after does', async () => {
  await interrupt();
  expect(await take()).toMatchObject({
    turnId: 't2',
    undoId: 'killed',
    files: ['a', 'b', 'c'].map((path) => ({ path, action: 'restored' })),
  });
  expect(contents()).toEqual(['1', '1', '1']);
  expect(warnings).toEqual(['the undo of t2 was interrupted: it is finished now']);
  expect(await unfinished.list()).toEqual([]);
  expect(await take()).toMatchObject({ turnId: 't1' });
  expect(contents()).toEqual(['0', '0', '0']);
});

it('the result counts as seen only when it was shown', async () => {
  await interrupt();
  const works: (() => Promise<void>)[] = [];
  const request = { sessionKey: 'key-s', sessionId: 's', force: false };
  await undo.undo({ ...request, afterShown: (work) => works.push(work) });
  expect(await unfinished.list()).toHaveLength(1);
  expect(await locks.tryAcquire('session:key-s')).toBeUndefined();
  for (const work of works) await work();
  expect(await unfinished.list()).toEqual([]);
  await (await locks.tryAcquire('session:key-s'))?.release();
  expect(await take()).toMatchObject({ turnId: 't1' });
});

it('an undo of another turn finishes it first', async () => {
  await interrupt();
  expect(await take('t1')).toMatchObject({ turnId: 't1' });
  expect(contents()).toEqual(['0', '0', '0']);
});

it('a list of turns, and a diff, finish it too, and leave no temporary file', async () => {
  await interrupt();
  expect(await undone()).toEqual({ killed: false, t2: true, t1: false });
  expect(contents()).toEqual(['1', '1', '1']);
  expect(() => content('.lainclaw-killed.tmp')).toThrow('ENOENT');
  expect(await unfinished.list()).toEqual([]);
});

it('leaves what somebody changed meanwhile, says so, and does not have it on record', async () => {
  await interrupt();
  writeFileSync(join(home.workspace, 'b'), 'by hand');
  rmSync(join(home.workspace, 'c'));
  mkdirSync(join(home.workspace, 'c'));
  expect((await take()).files).toEqual([
    { path: 'a', action: 'restored' },
    { path: 'b', action: 'left' },
    { path: 'c', action: 'left' },
  ]);
  expect(content('b')).toBe('by hand');
  expect(warnings.slice(1)).toEqual([
    'b was left as it is: it was changed meanwhile',
    expect.stringMatching(/^c was left as it is: Is a directory/),
  ]);
  expect(await take('killed')).toMatchObject({ files: [{ path: 'a', action: 'restored' }] });
  expect([content('a'), content('b')]).toEqual(['2', 'by hand']);
});

it('without a record of its files, nothing was touched and it is forgotten', async () => {
  await unfinished.begin({ undoId: 'killed', sessionKey: 'key-s', sessionId: 's' });
  await undo.finishInterrupted();
  expect([await unfinished.list(), warnings]).toEqual([[], []]);
});

it('stays to be finished where a file cannot be written, and is reported', async () => {
  await interrupt();
  const real = openFiles;
  openFiles = async (root) => ({ ...(await real(root)), write: () => Promise.reject(new Error('the disk is full')) });
  const why = 'the undo of t2 was interrupted and could not be finished: the disk is full';
  await expect(take()).rejects.toMatchObject({ code: 'UNDO_FAILED', message: why });
  await undo.finishInterrupted();
  expect(warnings).toEqual([why]);
  openFiles = real;
  expect(await take()).toMatchObject({ turnId: 't2' });
  expect(contents()).toEqual(['1', '1', '1']);
});

it('ends where the folder is gone', async () => {
  await interrupt();
  rmSync(home.workspace, { recursive: true });
  expect((await take()).files.map(({ action }) => action)).toEqual(['left', 'left', 'left']);
  expect(await unfinished.list()).toEqual([]);
});

it('is left alone while its session is in use', async () => {
  await interrupt();
  const lock = await locks.acquire('session:key-s');
  await undo.finishInterrupted();
  expect([contents(), warnings]).toEqual([['1', '2', '2'], []]);
  await lock.release();
  await undo.finishInterrupted();
  expect(contents()).toEqual(['1', '1', '1']);
});

it('undos of twelve sessions at once, one of them interrupted, do not disturb each other', async () => {
  await interrupt();
  const others = Array.from({ length: 11 }, (_, index) => `s${index}`);
  for (const session of others) {
    await records.add(scope('t1', session), [edit(`of-${session}`, '0', '1')]);
    home.file(`of-${session}`, '1');
  }
  const all = await Promise.all([take(), ...others.map((session) => take(undefined, session))]);
  expect(all.map(({ turnId }) => turnId)).toEqual(['t2', ...others.map(() => 't1')]);
  expect(contents()).toEqual(['1', '1', '1']);
  expect(others.map((session) => content(`of-${session}`))).toEqual(others.map(() => '0'));
  expect(await unfinished.list()).toEqual([]);
});
