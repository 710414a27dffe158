// The index of sessions, sessions.json: read without a lock (it is replaced whole), written under one.
// A missing or damaged index is rebuilt from the transcripts, each of which opens with its session's key; the damaged
// one is kept aside. An index of a newer version is refused, never overwritten. Entries that are put at the same time
// share one write, and an index that nobody has replaced is not read again.
import { readFile, rename, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { Locks } from '../locks.ts';
import { type Catalogue, type SessionEntry, StorageError, type Transcripts } from '../storage.ts';
import { ensureDirectory, storageError, writeAtomically } from './files.ts';
import { isSessionId } from './transcripts.ts';

const VERSION = 1;
const LOCK = 'catalogue';
const SETTLED_MS = 20;

type Entries = Map<string, SessionEntry>;

export interface CatalogueOptions {
  directory: string;
  locks: Locks;
  transcripts: Transcripts;
  now(): number;
  /** Told when a damaged index was moved aside and rebuilt. */
  onRebuild?: (keptAside: string) => void;
}

export function createCatalogue({ directory, locks, transcripts, now, onRebuild }: CatalogueOptions): Catalogue {
  const path = join(directory, 'sessions.json');
  let waiting: { entry: SessionEntry; resolve(): void; reject(error: unknown): void }[] = [];
  let isWriting = false;
  let known: { fingerprint: string; found: Found } | undefined;

  /** What stands there; the entries are not to be changed. */
  async function look(): Promise<Found> {
    const stats = await stat(path, { bigint: true }).catch(() => undefined);
    const fingerprint = stats && [stats.ino, stats.size, stats.mtimeNs, stats.ctimeNs].join(' ');
    if (known && known.fingerprint === fingerprint) return known.found;
    const found = await parseIndex(path);
    // Times of files are coarse: one that changed just now could change again without showing it.
    const isSettled = stats !== undefined && Math.abs(now() - Number(stats.mtimeMs)) > SETTLED_MS;
    known = fingerprint !== undefined && isSettled && found.state === 'read' ? { fingerprint, found } : undefined;
    return found;
  }

  async function read(): Promise<Entries> {
    const found = await look();
    if (found.state === 'read') return found.entries;
    // Nothing was ever stored: looking must not make anything.
    if (found.state === 'missing' && (await transcripts.list()).length === 0) return new Map();
    return mend();
  }

  async function mend(): Promise<Entries> {
    const lock = await locks.acquire(LOCK);
    try {
      return await readLocked();
    } finally {
      await lock.release();
    }
  }

  /** Under the lock: another process may have mended it meanwhile. */
  async function readLocked(): Promise<Entries> {
    const found = await look();
    if (found.state === 'read') return found.entries;
    const entries = await rebuild(transcripts);
    if (found.state === 'damaged') {
      const aside = `${path}.damaged-${now()}`;
      await rename(path, aside).catch((error: unknown) => {
        throw storageError(path, error);
      });
      onRebuild?.(aside);
    }
    if (found.state === 'damaged' || entries.size > 0) await write(path, entries);
    return entries;
  }

  async function putAll(added: readonly SessionEntry[]): Promise<void> {
    await ensureDirectory(directory);
    const lock = await locks.acquire(LOCK);
    try {
      const entries = new Map(await readLocked());
      for (const entry of added) entries.set(entry.sessionKey, entry);
      await write(path, entries);
    } finally {
      await lock.release();
    }
  }

  async function putWaiting(): Promise<void> {
    isWriting = true;
    while (waiting.length > 0) {
      const together = waiting;
      waiting = [];
      try {
        await putAll(together.map(({ entry }) => entry));
        for (const { resolve } of together) resolve();
      } catch (error) {
        for (const { reject } of together) reject(error);
      }
    }
    isWriting = false;
  }

  return {
    async get(sessionKey) {
      return (await read()).get(sessionKey);
    },
    put: (entry) =>
      new Promise((resolve, reject) => {
        waiting.push({ entry, resolve, reject });
        if (!isWriting) void putWaiting();
      }),
    async list() {
      return [...(await read()).values()];
    },
  };
}

type Found = { state: 'read'; entries: Entries } | { state: 'missing' } | { state: 'damaged' };

async function parseIndex(path: string): Promise<Found> {
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return { state: 'missing' };
    throw storageError(path, error);
  }
  let value: { version?: unknown; sessions?: unknown };
  try {
    value = JSON.parse(text);
  } catch {
    return { state: 'damaged' };
  }
  if (typeof value?.version === 'number' && value.version > VERSION) {
    throw new StorageError(
      'STORAGE_NEWER_VERSION',
      `cannot use ${path}: it was written by a newer Lainclaw (version ${value.version}): update this one`,
    );
  }
  if (
    value?.version !== VERSION ||
    typeof value.sessions !== 'object' ||
    value.sessions === null ||
    Array.isArray(value.sessions)
  )
    return { state: 'damaged' };
  // A Map, because a session may be called "__proto__".
  const entries = new Map(Object.entries(value.sessions as Record<string, SessionEntry>));
  const whole = [...entries].every(([key, entry]) => entry?.sessionKey === key && isSessionId(entry.sessionId));
  return whole ? { state: 'read', entries } : { state: 'damaged' };
}

function write(path: string, entries: Entries): Promise<void> {
  const index = { version: VERSION, sessions: Object.fromEntries(entries) };
  return writeAtomically(path, `${JSON.stringify(index, undefined, 1)}\n`);
}

async function rebuild(transcripts: Transcripts): Promise<Entries> {
  const entries: Entries = new Map();
  for (const sessionId of await transcripts.list()) {
    const entry = await entryOf(sessionId, transcripts);
    const known = entry && entries.get(entry.sessionKey);
    // Two sessions of one key: the one used last is the current one.
    if (entry && (!known || known.updatedAt < entry.updatedAt)) entries.set(entry.sessionKey, entry);
  }
  return entries;
}

/** A session's entry as its transcript tells it: identity from the first line, the rest from the newest turns. */
async function entryOf(sessionId: string, transcripts: Transcripts): Promise<SessionEntry | undefined> {
  let entry: SessionEntry | undefined;
  for await (const scanned of transcripts.scan(sessionId)) {
    if (!('line' in scanned)) continue;
    const { line } = scanned;
    if (line.type === 'session' && typeof line.sessionKey === 'string' && typeof line.createdAt === 'string') {
      entry = { sessionKey: line.sessionKey, sessionId, createdAt: line.createdAt, updatedAt: line.createdAt };
    } else if (entry && line.type === 'turn-start' && typeof line.entry === 'object') {
      Object.assign(entry, line.entry);
    } else if (entry && line.type === 'compaction' && typeof line.compactedMessageCount === 'number') {
      entry.compactedMessageCount = line.compactedMessageCount;
    }
  }
  return entry;
}
