// The entries of a repository that decide what git runs, as they are at one moment: the configuration, the hooks, and what leads
// git to another repository.
import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readlinkSync, readSync } from 'node:fs';
import { toSystem, toText } from '../byte-path.ts';
import { inDirectory } from './in-directory.ts';

const LARGEST_BYTES = 1024 * 1024;

export type EntryState =
  | { kind: 'absent' | 'directory' | 'other' }
  /** `mark`: its number, size and times, which change with it; absent in records of earlier versions. */
  | { kind: 'too-large'; mark?: string }
  | { kind: 'file'; bytes: Buffer; mode: number }
  | { kind: 'link'; target: string };

/** What an entry is to git. */
export type Role = 'settings' | 'hooks' | 'hook' | 'program' | 'commondir' | 'head' | 'git-link';

export interface GitEntry {
  role: Role;
  /** Byte path relative to the root. */
  path: string;
  state: EntryState;
}

/** Of a git directory. */
export function entriesOfRepository(root: string, repository: string): GitEntry[] {
  const at = (name: string): string => (repository === '' ? name : `${repository}/${name}`);
  const entry = (role: Role, name: string): GitEntry => ({ role, path: at(name), state: entryState(root, at(name)) });
  const hooks = inDirectory(root, at('hooks'), (address) => names(address)) ?? [];
  return [
    entry('settings', 'config'),
    entry('settings', 'config.worktree'),
    entry('commondir', 'commondir'),
    entry('head', 'HEAD'),
    entry('hooks', 'hooks'),
    // Git runs none of the samples that it puts there.
    ...hooks.filter((name) => !name.endsWith('.sample')).map((name) => entry('hook', `hooks/${name}`)),
  ];
}

export function entryState(root: string, path: string): EntryState {
  const [parent, name] = splitPath(path);
  return inDirectory(root, parent, (address) => stateAt(`${address}/${name}`)) ?? { kind: 'absent' };
}

export function isSameState(one: EntryState, other: EntryState): boolean {
  if (one.kind === 'file' && other.kind === 'file') return one.mode === other.mode && one.bytes.equals(other.bytes);
  if (one.kind === 'link' && other.kind === 'link') return one.target === other.target;
  if (one.kind === 'too-large' && other.kind === 'too-large') return one.mark !== undefined && one.mark === other.mark;
  return one.kind === other.kind;
}

export function textOf(state: EntryState): string {
  return state.kind === 'file' ? toText(state.bytes.toString('latin1')) : '';
}

export function splitPath(path: string): [parent: string, name: string] {
  const cut = path.lastIndexOf('/');
  return [path.slice(0, Math.max(cut, 0)), path.slice(cut + 1)];
}

function stateAt(address: string): EntryState {
  const path = toSystem(address);
  let descriptor: number | undefined;
  try {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (!stats) return { kind: 'absent' };
    if (stats.isSymbolicLink()) return { kind: 'link', target: readlinkSync(path, 'latin1') };
    if (stats.isDirectory()) return { kind: 'directory' };
    if (!stats.isFile()) return { kind: 'other' };
    descriptor = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    const { size, mode } = fstatSync(descriptor);
    if (size > LARGEST_BYTES) return { kind: 'too-large', mark: markOf(descriptor) };
    const bytes = Buffer.alloc(size);
    return { kind: 'file', bytes: bytes.subarray(0, readSync(descriptor, bytes, 0, size, 0)), mode: mode & 0o777 };
  } catch {
    return { kind: 'other' };
  } finally {
    if (descriptor !== undefined) closeSync(descriptor);
  }
}

/** A command cannot choose the time of a file's last change. */
function markOf(descriptor: number): string {
  const { ino, size, mtimeNs, ctimeNs } = fstatSync(descriptor, { bigint: true });
  return [ino, size, mtimeNs, ctimeNs].join(':');
}

function names(address: string): string[] {
  try {
    return readdirSync(address, 'latin1');
  } catch {
    return [];
  }
}
