import { lstat, rmdir, unlink } from 'node:fs/promises';
import { WorkspaceError } from '../vocabulary/workspace-error.ts';
import { join, toSystem, toText } from './byte-path.ts';
import { type Place, walkToPlace } from './place.ts';
import { explainChange, hasChanged, isDirectory, notDirectory, notRegular } from './refusal.ts';
import { fingerprintOf } from './stats.ts';
import { syncDirectory } from './sync.ts';
import type { Ground } from './trail.ts';
import type { RemoveOptions } from './workspace.ts';

export interface RemoveRequest extends RemoveOptions {
  path: string;
  admit(path: string): void;
}

/** Removes a name from the held directory, after checking right before what the name refers to. */
export async function remove(ground: Ground, request: RemoveRequest): Promise<{ path: string }> {
  const { path, admit, kind, signal } = request;
  const wanted = kind === 'file' ? 'file' : 'directory';
  try {
    const place = await walkToPlace(ground, { path, wanted, signal, admit, makeParents: false });
    if (!place) throw new WorkspaceError('no_permission', 'The workspace itself cannot be removed');
    try {
      await removeFrom(ground, place, request);
      return { path: toText(place.path) };
    } finally {
      place.release();
    }
  } catch (error) {
    throw signal?.aborted ? error : explainChange(error, path, wanted);
  }
}

async function removeFrom(ground: Ground, { directory, name, found }: Place, request: RemoveRequest): Promise<void> {
  const { path, kind, expected, signal } = request;
  const address = toSystem(join(directory.address, name));
  // Nothing there: lstat throws the system's own error.
  if (!found) return void (await lstat(address));
  if (kind === 'empty-directory' && !found.stats.isDirectory()) throw notDirectory(path);
  if (kind === 'file' && found.stats.isDirectory()) throw isDirectory(path);
  if (kind === 'file' && !found.stats.isFile()) throw notRegular(path);
  if (expected !== undefined && fingerprintOf(found.stats) !== expected) throw hasChanged(path);
  signal?.throwIfAborted();
  await ground.grasp.confirm(directory);
  const now = await lstat(address, { bigint: true });
  if (now.ino !== found.stats.ino || now.dev !== found.stats.dev) throw hasChanged(path);
  if (expected !== undefined && fingerprintOf(now) !== expected) throw hasChanged(path);
  await (kind === 'file' ? unlink(address) : rmdir(address));
  await syncDirectory(directory.address);
}
