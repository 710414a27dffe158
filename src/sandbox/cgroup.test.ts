// The kernel of the test machine decides which version it has; here a tree of plain files takes the place of each.
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { TRIAL_LIMITS } from '../../test/support/sandbox-trial.ts';
import { createCgroups } from './cgroup.ts';

let root: string;
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'sandbox-cgroup-'));
});
afterEach(() => rmSync(root, { recursive: true }));

function group(path: string, subtreeControl: string): void {
  mkdirSync(join(root, path), { recursive: true });
  writeFileSync(join(root, path, 'cgroup.subtree_control'), subtreeControl);
}

test('version 2: a group beside the own one, below the nearest that hands on limits', async () => {
  group('.', 'cpu memory pids\n');
  group('user.slice', 'memory pids\n');
  group('user.slice/session.scope', '');
  writeFileSync(join(root, 'cgroup.controllers'), 'cpu memory pids\n');
  const cgroup = createCgroups({ root, membership: '0::/user.slice/session.scope\n' })('1', TRIAL_LIMITS);
  const read = (name: string): string => readFileSync(join(root, `user.slice/lainclaw-${process.pid}-1`, name), 'utf8');
  expect(cgroup).toMatchObject({ holdsMemory: true, holdsProcesses: true });
  expect([read('memory.max'), read('memory.swap.max'), read('memory.oom.group'), read('pids.max')]).toEqual([
    '1073741824',
    '0',
    '1',
    '128',
  ]);
  await cgroup?.add(42);
  expect(read('cgroup.procs')).toBe('42');
  expect(cgroup?.ranOutOfMemory()).toBe(false);
  writeFileSync(join(root, `user.slice/lainclaw-${process.pid}-1/memory.events`), 'oom 1\noom_kill 3\n');
  expect(cgroup?.ranOutOfMemory()).toBe(true);
});

test('version 1: processes only, below the own group', () => {
  mkdirSync(join(root, 'pids/own'), { recursive: true });
  const cgroup = createCgroups({ root, membership: '8:pids:/own\n4:memory:/other\n0::/\n' })('1', TRIAL_LIMITS);
  expect(cgroup).toMatchObject({ holdsMemory: false, holdsProcesses: true });
  expect(readFileSync(join(root, `pids/own/lainclaw-${process.pid}-1/pids.max`), 'utf8')).toBe('128');
});

test('none where nothing is handed on, nothing is there, or nothing may be written', () => {
  group('a/b', '');
  writeFileSync(join(root, 'cgroup.controllers'), 'memory pids\n');
  expect(createCgroups({ root, membership: '0::/a/b\n' })('1', TRIAL_LIMITS)).toBeUndefined();
  expect(createCgroups({ root: join(root, 'nowhere'), membership: '' })('1', TRIAL_LIMITS)).toBeUndefined();
  expect(readdirSync(join(root, 'a'))).toEqual(['b']);
});

test('a group that the kernel keeps too long is removed with a later one', async () => {
  mkdirSync(join(root, 'pids'));
  const newGroup = createCgroups({ root, membership: '8:pids:/\n' });
  const path = join(root, `pids/lainclaw-${process.pid}-1`);
  // A directory with files cannot be removed, as a group with processes cannot.
  await newGroup('1', TRIAL_LIMITS)?.remove();
  newGroup('2', TRIAL_LIMITS);
  expect(existsSync(path)).toBe(true);
  rmSync(join(path, 'pids.max'));
  newGroup('3', TRIAL_LIMITS);
  expect(existsSync(path)).toBe(false);
});

test('what a killed process left behind is swept', () => {
  mkdirSync(join(root, 'pids/lainclaw-999999999-run-x'), { recursive: true });
  mkdirSync(join(root, `pids/lainclaw-${process.pid}-run-y`));
  createCgroups({ root, membership: '8:pids:/\n' })('1', TRIAL_LIMITS);
  expect(readdirSync(join(root, 'pids'))).toEqual([`lainclaw-${process.pid}-1`, `lainclaw-${process.pid}-run-y`]);
});
