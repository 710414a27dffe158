// Writes a file by replacing it: the content goes to a temporary file in the held directory, is synced, and takes the
// name in one step within that same directory. A name that was free is taken by a link, which fails when someone else
// was faster; a name that was taken is looked at once more right before the rename, so a change made meanwhile is
// refused and not lost. A file with several hard links is replaced too: writing into it could change a file outside.
import { type BigIntStats, constants } from 'node:fs';
import { access, type FileHandle, link, lstat, open, rename, unlink } from 'node:fs/promises';
import { join, toSystem, toText } from './byte-path.ts';
import type { Grip } from './grip.ts';
import { type Place, unmake, walkToPlace } from './place.ts';
import { existsAlready, explainChange, hasChanged, isDirectory, notRegular, systemCode, tooLarge } from './refusal.ts';
import { fingerprintOf, permissionsOf } from './stats.ts';
import { syncDirectory } from './sync.ts';
import type { Ground, Reached } from './trail.ts';
import { ABSENT, type WriteOptions, type Written } from './workspace.ts';

const CREATE = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const CHUNK_BYTES = 4 * 1024 * 1024;
const NO_HARD_LINKS = new Set(['EPERM', 'EOPNOTSUPP', 'ENOTSUP', 'ENOSYS', 'EMLINK']);

export interface WriteRequest extends WriteOptions {
  path: string;
  bytes: Uint8Array;
  admit(path: string): void;
}

export async function writeFile(ground: Ground, request: WriteRequest): Promise<Written> {
  const { path, signal, admit, createParents } = request;
  const place = await walkToPlace(ground, { path, wanted: 'file', signal, admit, makeParents: createParents }).catch(
    (error) => {
      throw explainChange(error, path, 'file');
    },
  );
  if (!place) throw isDirectory(path);
  try {
    return await replace(ground, place, request);
  } catch (error) {
    await unmake(ground, place.made);
    throw signal?.aborted ? error : explainChange(error, path, 'file');
  } finally {
    place.release();
  }
}

async function replace(ground: Ground, place: Place, request: WriteRequest): Promise<Written> {
  const { found } = place;
  checkFound(request, found);
  const content = await wholeContent(ground, found, request);
  if (request.maxBytes !== undefined && content.length > request.maxBytes) {
    throw tooLarge(request.path, content.length, request.maxBytes, 'would have');
  }
  // A rename does not check whether the file itself may be written.
  if (found) await access(toSystem(found.grip.address), constants.W_OK);

  const { temporaryName = await randomName() } = request;
  const temporary = await createTemporary(ground, place.directory, temporaryName, found ? 0o600 : 0o666);
  let stats: BigIntStats;
  try {
    await bothDone(
      fill(temporary.handle, content, request, found?.stats),
      request.beforeReplacing?.({ path: toText(place.path), madeDirectories: place.made.map(toText) }),
    );
    request.signal?.throwIfAborted();
    await ground.grasp.confirm(place.directory);
    await takeName(place, temporary.address, request.path);
    stats = await temporary.handle.stat({ bigint: true });
  } catch (error) {
    await unlink(toSystem(temporary.address)).catch(() => {});
    throw error;
  } finally {
    await temporary.handle.close();
  }
  await syncDirectory(place.directory.address);
  return {
    path: toText(place.path),
    created: found === undefined,
    fingerprint: fingerprintOf(stats),
    previous: found && previousOf(found.stats),
    madeDirectories: place.made.map(toText),
  };
}

function checkFound({ path, expected }: WriteRequest, found: Reached | undefined): void {
  if (found?.stats.isDirectory()) throw isDirectory(path);
  if (found && !found.stats.isFile()) throw notRegular(path);
  if (expected === undefined) return;
  if (expected === ABSENT && found) throw existsAlready(path);
  if (expected !== ABSENT && (!found || fingerprintOf(found.stats) !== expected)) throw hasChanged(path);
}

async function wholeContent(
  ground: Ground,
  found: Reached | undefined,
  { path, bytes, mode, maxBytes = Number.POSITIVE_INFINITY }: WriteRequest,
): Promise<Uint8Array> {
  if (mode === 'overwrite' || !found) return bytes;
  const size = Number(found.stats.size) + bytes.length;
  if (size > maxBytes) throw tooLarge(path, size, maxBytes, 'would have');
  const handle = await ground.grasp.read(found.grip);
  try {
    return Buffer.concat([await handle.readFile(), bytes]);
  } finally {
    await handle.close();
  }
}

/** Rejects when one of the steps rejects, but only after all have ended. */
async function bothDone(...steps: (Promise<void> | undefined)[]): Promise<void> {
  for (const step of await Promise.allSettled(steps)) if (step.status === 'rejected') throw step.reason;
}

interface Temporary {
  handle: FileHandle;
  address: string;
}

async function randomName(): Promise<string> {
  const { randomBytes } = await import('node:crypto');
  return `.lainclaw-${randomBytes(12).toString('hex')}.tmp`;
}

async function createTemporary(ground: Ground, directory: Grip, name: string, mode: number): Promise<Temporary> {
  const address = join(directory.address, name);
  await ground.grasp.confirm(directory);
  return { handle: await open(toSystem(address), CREATE, mode), address };
}

async function fill(
  handle: FileHandle,
  content: Uint8Array,
  { permissions, signal }: WriteRequest,
  old: BigIntStats | undefined,
): Promise<void> {
  const keepsGroup = old === undefined || (await keepOwner(handle, old));
  // New content must not inherit privileges: the set-user-id and set-group-id bits are dropped.
  const bits = permissions ?? (old && permissionsOf(old));
  if (bits !== undefined) await handle.chmod(keepsGroup ? bits : (bits & 0o707) | ((bits & 0o007) << 3));
  for (let at = 0; at < content.length; ) {
    signal?.throwIfAborted();
    const length = Math.min(CHUNK_BYTES, content.length - at);
    const { bytesWritten } = await handle.write(content, at, length, at);
    at += bytesWritten;
  }
  await handle.sync();
}

/** False when the group could not be kept: another group must not get its rights. */
async function keepOwner(handle: FileHandle, old: BigIntStats): Promise<boolean> {
  const { uid, gid } = await handle.stat({ bigint: true });
  if (uid === old.uid && gid === old.gid) return true;
  try {
    await handle.chown(Number(old.uid), Number(old.gid));
    return true;
  } catch {
    // Only root can change the owner of a file; a user can keep a group they belong to.
    return handle.chown(Number(uid), Number(old.gid)).then(
      () => true,
      () => false,
    );
  }
}

async function takeName({ directory, name, found }: Place, temporary: string, path: string): Promise<void> {
  const from = toSystem(temporary);
  const to = toSystem(join(directory.address, name));
  if (found) {
    const now = await lstat(to, { bigint: true }).catch(() => undefined);
    if (!now || fingerprintOf(now) !== fingerprintOf(found.stats)) throw hasChanged(path);
    return rename(from, to);
  }
  try {
    await link(from, to);
  } catch (error) {
    if (!NO_HARD_LINKS.has(systemCode(error) ?? '')) throw error;
    if (await lstat(to).catch(() => undefined)) throw existsAlready(path);
    return rename(from, to);
  }
  await unlink(from);
}

function previousOf(stats: BigIntStats): Written['previous'] {
  return { size: Number(stats.size), mode: permissionsOf(stats), links: Number(stats.nlink) };
}
