// Private, durable files: directories 0700, files 0600 under any umask, and writes that are whole or absent.
import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsync,
  open as openFile,
  openSync,
  rmSync,
  statfsSync,
  statSync,
  writeFile,
  writeSync,
} from 'node:fs';
import { chmod, type FileHandle, mkdir, open, rename, unlink } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { StorageError, type StorageErrorCode } from './storage.ts';

const SQLITE_BUSY = 5;
const SQLITE_READONLY = 8;
const SQLITE_IOERR = 10;
const SQLITE_FULL = 13;
const SQLITE_CANTOPEN = 14;
const UNEXPLAINED = new Set([SQLITE_READONLY, SQLITE_IOERR, SQLITE_CANTOPEN]);
/** A database, its write-ahead log and the log's index. */
const SQLITE_HANDLES = 3;
const SQLITE_BYTES = 64 * 1024;

const CODES: Record<string, StorageErrorCode> = {
  ENOSPC: 'STORAGE_FULL',
  EDQUOT: 'STORAGE_FULL',
  EFBIG: 'STORAGE_FULL',
  EROFS: 'STORAGE_READ_ONLY',
  EACCES: 'STORAGE_NO_PERMISSION',
  EPERM: 'STORAGE_NO_PERMISSION',
  ENOTDIR: 'STORAGE_NOT_A_DIRECTORY',
  EEXIST: 'STORAGE_NOT_A_DIRECTORY',
  EISDIR: 'STORAGE_NOT_A_DIRECTORY',
  EMFILE: 'STORAGE_NO_HANDLES',
  ENFILE: 'STORAGE_NO_HANDLES',
};

const ADVICE: Record<StorageErrorCode, string> = {
  STORAGE_FULL: 'the disk is full: free some space and ask again',
  STORAGE_READ_ONLY: 'the file system is read-only: set LAINCLAW_HOME to a writable directory',
  STORAGE_NO_PERMISSION: 'permission denied: check who owns it, or set LAINCLAW_HOME to a directory of your own',
  STORAGE_NOT_A_DIRECTORY:
    'there is a file where a directory is needed (or the reverse): move it away, or set LAINCLAW_HOME',
  STORAGE_NO_HANDLES: 'too many open files: close some programs or raise "ulimit -n"',
  STORAGE_BUSY: 'another program holds it locked: end that program and ask again',
  STORAGE_UNREACHABLE: 'it cannot be reached: look whether it runs, then ask again',
  STORAGE_NEWER_VERSION: 'it was written by a newer Lainclaw: upgrade lainclaw',
  STORAGE_LOCK_LOST: 'another process took over: ask again',
  STORAGE_ELSEWHERE: 'only another machine has it',
  STORAGE_FAILED: 'the system refused',
};

/** Bytes may be free: df -i shows it. */
const NO_INODES = 'the disk is full, it has no room for another file (inodes): remove some files and ask again';

/** Names the path, the reason in words and what to do. Passes a StorageError through. */
export function storageError(path: string, cause: unknown): StorageError {
  if (cause instanceof StorageError) return cause;
  const system = systemCode(path, cause);
  const code = CODES[system] ?? sqliteCode(cause) ?? 'STORAGE_FAILED';
  const detail = code === 'STORAGE_FAILED' ? ` (${(cause as Error)?.message ?? cause})` : '';
  const advice = code === 'STORAGE_FULL' && hasNoInodes(path) ? NO_INODES : ADVICE[code];
  return new StorageError(code, `cannot use ${path}: ${advice}${detail}`, cause);
}

function hasNoInodes(path: string): boolean {
  try {
    const { files, ffree } = statfsSync(dirname(path));
    return files > 0 && ffree === 0;
  } catch {
    return false;
  }
}

function sqliteCode(cause: unknown): StorageErrorCode | undefined {
  const { errcode = 0 } = (cause ?? {}) as { errcode?: number };
  if ((errcode & 0xff) === SQLITE_BUSY) return 'STORAGE_BUSY';
  return (errcode & 0xff) === SQLITE_FULL || /disk is full/i.test(String(cause)) ? 'STORAGE_FULL' : undefined;
}

/** SQLite does not tell why it could not read or write: doing what it does beside its file tells. */
function systemCode(path: string, cause: unknown): string {
  const { code, errcode } = (cause ?? {}) as { code?: string; errcode?: number };
  if (errcode === undefined || !UNEXPLAINED.has(errcode & 0xff)) return code ?? '';
  const probe = `${path}.probe`;
  const opened: number[] = [];
  try {
    for (let handle = 0; handle < SQLITE_HANDLES; handle += 1) opened.push(openSync(dirname(path), 'r'));
    opened.push(openSync(probe, 'wx', 0o600));
    writeSync(opened.at(-1) ?? -1, Buffer.alloc(SQLITE_BYTES));
    return (errcode & 0xff) === SQLITE_READONLY ? 'EACCES' : '';
  } catch (error) {
    return (error as NodeJS.ErrnoException).code ?? '';
  } finally {
    for (const handle of opened) closeSync(handle);
    rmSync(probe, { force: true });
  }
}

/** Made level by level, each 0700 at once: a stern umask would lock us out of the one just made. */
export async function ensureDirectory(path: string): Promise<void> {
  if (isDirectory(path)) return;
  try {
    await makeDirectory(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw storageError(path, error);
    await ensureDirectory(dirname(path));
    await makeDirectory(path).catch((again: NodeJS.ErrnoException) => {
      throw again.code === 'ENOENT' ? cannotBeMade(path, again) : storageError(path, again);
    });
  }
}

async function makeDirectory(path: string): Promise<void> {
  try {
    await mkdir(path, 0o700);
    await chmod(path, 0o700);
    await syncDirectory(dirname(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !isDirectory(path)) throw error;
  }
}

/** Below /proc and the like a name cannot be made although its parent is there. */
function cannotBeMade(path: string, cause: unknown): StorageError {
  const advice = 'no directory can be made there: set LAINCLAW_HOME to a directory of your own';
  return new StorageError('STORAGE_NO_PERMISSION', `cannot use ${path}: ${advice}`, cause);
}

/** Synchronous, as every look at a path that each turn takes: handing it to another thread takes ten times as long. */
function isDirectory(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  } catch {
    return false;
  }
}

/** Opens with mode 0600 whatever the umask says. */
export async function openPrivate(path: string, flags: number): Promise<FileHandle> {
  const handle = await open(path, flags, 0o600);
  if (flags & constants.O_CREAT) {
    const { mode } = await handle.stat();
    if ((mode & 0o777) !== 0o600) await handle.chmod(0o600);
  }
  return handle;
}

/** The same for what each turn opens: returns the descriptor. */
export function openPrivateSync(path: string, flags: number): number {
  const file = openSync(path, flags, 0o600);
  if (flags & constants.O_CREAT) makePrivate(file);
  return file;
}

function makePrivate(file: number): void {
  if ((fstatSync(file).mode & 0o777) !== 0o600) fchmodSync(file, 0o600);
}

/**
 * Makes an empty private file where there is none, with its directory. An existing one is never opened: closing a
 * descriptor would drop the locks that SQLite holds on it in this process.
 */
export async function ensurePrivateFile(path: string): Promise<void> {
  try {
    statSync(path);
    return;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw storageError(path, error);
  }
  await ensureDirectory(dirname(path));
  try {
    const handle = await openPrivate(path, constants.O_CREAT | constants.O_EXCL | constants.O_RDWR);
    await handle.close();
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw storageError(path, error);
  }
}

export async function syncDirectory(path: string): Promise<void> {
  const directory = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    await promisify(fsync)(directory);
  } finally {
    closeSync(directory);
  }
}

/** Resolves when the file would be gone after a power cut; nothing happens where there is none. */
export async function removeDurably(path: string): Promise<void> {
  try {
    await unlink(path);
    await syncDirectory(dirname(path));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw storageError(path, error);
  }
}

/**
 * Replaces a file so that a reader sees the old or the new text, whole; resolves once the new one is durable. The caller
 * is the only writer (it holds a lock, or the name is its own), so what a killed writer left behind can be cleared.
 * Only what may wait for the disk is handed to another thread.
 */
export async function writeAtomically(path: string, text: string | Uint8Array): Promise<void> {
  const temporary = join(dirname(path), `.${basename(path)}.tmp`);
  try {
    const file = await openFresh(temporary);
    try {
      makePrivate(file);
      await promisify(writeFile)(file, text);
      await promisify(fsync)(file);
    } finally {
      closeSync(file);
    }
    await rename(temporary, path);
    await syncDirectory(dirname(path));
  } catch (error) {
    await unlink(temporary).catch(() => {});
    throw storageError(path, error);
  }
}

async function openFresh(path: string): Promise<number> {
  const flags = constants.O_CREAT | constants.O_EXCL | constants.O_WRONLY;
  const openNew = (): Promise<number> => promisify(openFile)(path, flags, 0o600);
  return openNew().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
    await unlink(path);
    return openNew();
  });
}
