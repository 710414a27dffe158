// Locks held by the kernel. A lock is an exclusive SQLite transaction on an empty file of its own: the kernel drops it
// the moment its process dies, so no stale lock can exist. Within a process waiters queue in order; between processes
// they poll, never blocking the event loop.
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Lock, Locks } from '../storage.ts';
import { ensurePrivateFile, storageError } from './files.ts';

const FIRST_WAIT_MS = 2;
const LONGEST_WAIT_MS = 25;

export function createLocks(directory: string): Locks {
  const queues = new Map<string, Promise<void>>();

  return {
    async acquire(name, { signal, onWait } = {}): Promise<Lock> {
      signal?.throwIfAborted();
      const ahead = queues.get(name);
      const { promise: released, resolve: release } = Promise.withResolvers<void>();
      const tail = (ahead ?? Promise.resolve()).then(() => released);
      queues.set(name, tail);
      const leave = (): void => {
        release();
        if (queues.get(name) === tail) queues.delete(name);
      };
      let waited = false;
      const sayWaiting = (): void => {
        if (!waited) onWait?.();
        waited = true;
      };
      try {
        if (ahead) {
          sayWaiting();
          await orAborted(ahead, signal);
        }
        const database = await lockFile(join(directory, `${fileName(name)}.lock`), signal, sayWaiting);
        return {
          release() {
            database.close();
            leave();
          },
        };
      } catch (error) {
        leave();
        throw error;
      }
    },
  };
}

async function lockFile(path: string, signal: AbortSignal | undefined, onWait: () => void): Promise<DatabaseSync> {
  const database = await openLockFile(path);
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    try {
      // In memory, or SQLite makes a journal file for each lock: a full disk or a read-only directory would refuse it.
      database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE');
      return database;
    } catch (error) {
      if (!isBusy(error)) {
        database.close();
        throw storageError(path, error);
      }
    }
    onWait();
    try {
      await sleep(wait * (0.5 + Math.random() / 2), undefined, { signal });
    } catch {
      database.close();
      signal?.throwIfAborted();
    }
  }
}

async function openLockFile(path: string): Promise<DatabaseSync> {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  try {
    await ensurePrivateFile(path);
    return new DatabaseSync(path);
  } catch (error) {
    throw storageError(path, error);
  }
}

/** Readable, and distinct for distinct names of a kind; two names that met in one file would only wait for each other. */
function fileName(name: string): string {
  let hash = 0xcbf29ce484222325n;
  for (const byte of Buffer.from(name)) hash = BigInt.asUintN(64, (hash ^ BigInt(byte)) * 0x100000001b3n);
  return `${name.replace(/[^\w.-]/g, '_').slice(0, 60)}-${hash.toString(16)}`;
}

function isBusy(error: unknown): boolean {
  return (error as { errcode?: number }).errcode === 5;
}

async function orAborted(promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> {
  if (!signal) return promise;
  // Whoever is told that there is a wait may give up right then.
  signal.throwIfAborted();
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}
