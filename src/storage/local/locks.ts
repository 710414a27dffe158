// Locks held by the kernel. A lock is an exclusive SQLite transaction on an empty file of its own: the kernel drops it
// the moment its process dies, so no stale lock can exist. Within a process waiters queue in order; between processes
// they poll, never blocking the event loop.
//
// A connection is kept, idle and without a transaction, after its lock is released: opening one costs more than all the rest.
// Idle connections hold no lock. The one whose file is no longer the file of its name is closed.
//
// The fencing token is the file's time of change in microseconds, which each holder moves on by one. Nothing is written
// to the file, so a full disk refuses no lock. A lock is lost only when somebody removes or touches its file.
import { type Stats, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import type { DatabaseSync } from 'node:sqlite';
import { setTimeout as sleep } from 'node:timers/promises';
import { acquireInTurn, createLockQueue } from '../lock-queue.ts';
import type { Fence, Lock, Locks } from '../locks.ts';
import { ensurePrivateFile, storageError } from '../private-files.ts';
import { lockLost } from '../storage.ts';

const FIRST_WAIT_MS = 2;
const LONGEST_WAIT_MS = 25;
/** File systems keep times to the microsecond, to the millisecond, or to two seconds. */
const TOKEN_STEPS = [1, 1_000, 2_000_000];
/** Connections that wait for the next holder: about as many as there are conversations at a time. */
const MOST_IDLE = 32;
const MOST_PATHS = 1_000;

export interface LocalLocks extends Locks {
  /** Whether the lock was not acquired again since; its holder may be dead. */
  isCurrent(fence: Fence): boolean;
  /** Throws STORAGE_LOCK_LOST when the lock is no longer held under this fence. */
  verify(fence: Fence | undefined): void;
  /** Every lock that is still held becomes free, and is lost to its holder. */
  close(): Promise<void>;
}

interface HeldLock {
  lock: Lock;
  lose(): void;
}

export function createLocks(directory: string): LocalLocks {
  const queue = createLockQueue();
  const held = new Set<HeldLock>();
  const idle = createIdleConnections();
  const paths = new Map<string, string>();
  const isCurrent = ({ name, token }: Fence): boolean => readToken(pathOf(name)) === token;

  function pathOf(name: string): string {
    const known = paths.get(name);
    if (known !== undefined) return known;
    if (paths.size >= MOST_PATHS) paths.clear();
    const path = join(directory, `${fileName(name)}.lock`);
    paths.set(name, path);
    return path;
  }

  function hold(name: string, { connection, token }: LockedFile, leave: () => void): Lock {
    const lost = new AbortController();
    const end = (): void => {
      if (!held.delete(entry)) return;
      idle.keep(pathOf(name), connection);
      leave();
    };
    const lock: Lock = { name, token, lost: lost.signal, release: async () => end() };
    const entry: HeldLock = {
      lock,
      lose() {
        end();
        lost.abort(lockLost(name));
      },
    };
    held.add(entry);
    return lock;
  }

  return {
    acquire: (name, options = {}) =>
      acquireInTurn(queue, name, options, async ({ leave }, sayWaiting) =>
        hold(name, await lockFile(pathOf(name), idle, options.signal, sayWaiting), leave),
      ),

    async tryAcquire(name) {
      if (queue.has(name)) return undefined;
      const { leave } = queue.enter(name);
      try {
        const locked = await tryLockFile(pathOf(name), idle);
        if (locked) return hold(name, locked, leave);
        leave();
        return undefined;
      } catch (error) {
        leave();
        throw error;
      }
    },

    isCurrent,
    holds: async (fence) => isCurrent(fence),
    // The file is looked at in any case: that costs next to nothing.
    isHeldSince: () => false,

    verify(fence) {
      if (!fence || isCurrent(fence)) return;
      for (const entry of held) if (entry.lock.name === fence.name && entry.lock.token === fence.token) entry.lose();
      throw lockLost(fence.name);
    },

    async close() {
      for (const entry of held) entry.lose();
      idle.close();
    },
  };
}

interface Connection {
  database: DatabaseSync;
  /** Of the file that it has open. */
  inode: number;
}

interface LockedFile {
  connection: Connection;
  token: number;
}

interface IdleConnections {
  /** The one that has this very file open. */
  take(path: string, stats: Stats | undefined): Connection | undefined;
  /** Gives up the lock. */
  keep(path: string, connection: Connection): void;
  close(): void;
}

function createIdleConnections(): IdleConnections {
  const idle = new Map<string, Connection>();
  return {
    take(path, stats) {
      const connection = idle.get(path);
      if (!connection) return undefined;
      idle.delete(path);
      if (connection.inode === stats?.ino) return connection;
      connection.database.close();
      return undefined;
    },
    keep(path, connection) {
      try {
        if (connection.database.isTransaction) connection.database.exec('ROLLBACK');
      } catch {
        connection.database.close();
        return;
      }
      idle.get(path)?.database.close();
      idle.delete(path);
      idle.set(path, connection);
      for (const [oldest, { database }] of idle) {
        if (idle.size <= MOST_IDLE) return;
        idle.delete(oldest);
        database.close();
      }
    },
    close() {
      for (const { database } of idle.values()) database.close();
      idle.clear();
    },
  };
}

async function lockFile(
  path: string,
  idle: IdleConnections,
  signal: AbortSignal | undefined,
  onWait: () => void,
): Promise<LockedFile> {
  for (let wait = FIRST_WAIT_MS; ; wait = Math.min(wait * 2, LONGEST_WAIT_MS)) {
    const locked = await tryLockFile(path, idle);
    if (locked) return locked;
    onWait();
    try {
      await sleep(wait * (0.5 + Math.random() / 2), undefined, { signal });
    } catch {
      signal?.throwIfAborted();
    }
  }
}

/** Undefined when another holder has it. */
async function tryLockFile(path: string, idle: IdleConnections): Promise<LockedFile | undefined> {
  let connection: Connection | undefined;
  try {
    connection = idle.take(path, statSync(path, { throwIfNoEntry: false })) ?? (await connect(path));
    connection.database.exec('BEGIN EXCLUSIVE');
    return { connection, token: nextToken(path) };
  } catch (error) {
    if (connection) idle.keep(path, connection);
    if (isBusy(error)) return undefined;
    throw storageError(path, error);
  }
}

async function connect(path: string): Promise<Connection> {
  const { DatabaseSync } = process.getBuiltinModule('node:sqlite');
  await ensurePrivateFile(path);
  const { ino: inode } = statSync(path);
  const database = new DatabaseSync(path);
  try {
    // In memory, or SQLite makes a journal file for each lock: a full disk or a read-only directory would refuse it.
    database.exec('PRAGMA journal_mode = MEMORY');
    return { database, inode };
  } catch (error) {
    database.close();
    throw error;
  }
}

/** For the holder of the lock alone. */
function nextToken(path: string): number {
  const before = readToken(path) ?? 0;
  for (const step of TOKEN_STEPS) {
    // In the middle of a microsecond: times are cut off to whole ones on their way to the file system.
    const seconds = (before + step + 0.5) / 1_000_000;
    utimesSync(path, seconds, seconds);
    const token = readToken(path) ?? 0;
    if (token > before) return token;
  }
  throw new Error('the file system does not keep the time of a change');
}

function readToken(path: string): number | undefined {
  const stats = statSync(path, { throwIfNoEntry: false });
  return stats && Math.round(stats.mtimeMs * 1_000);
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
