// The index of sessions: sessions.db answers, sessions.json tells people (and earlier versions) the same. Every use checks that
// sessions.json is as we left it; otherwise, before anything is answered, the two are brought together under a lock:
//   changed by somebody else, or the machine was started since → for each key the later state is taken over
//   missing                  → written again
//   damaged                  → kept aside, written again
//   of a newer version       → everything is refused, nothing is touched
// A database that is missing is filled from sessions.json, and where that is missing or damaged too, from the transcripts.
import { existsSync } from 'node:fs';
import { readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { Locks } from '../../locks.ts';
import { ensureDirectory, storageError } from '../../private-files.ts';
import type { Catalogue, SessionEntry, Transcripts } from '../../storage.ts';
import { StorageError } from '../../storage.ts';
import { isDamagedDatabase } from '../damaged-database.ts';
import { createDatabase } from '../database.ts';
import { eraseRemoved } from '../erase-removed.ts';
import { openDatabase } from '../open-database.ts';
import { createStatements, type Prepare } from '../statements.ts';
import { createSyncedDatabase, type UseDatabase } from '../synced-database.ts';
import { whenFree } from '../when-free.ts';
import { createWriteAheadLog } from '../write-ahead-log.ts';
import { createWriteTogether } from '../write-together.ts';
import { countEntries, listEntries, listOf, mergeEntries, readEntry } from './entries.ts';
import { createIndexFile } from './index-file.ts';
import { type Entries, parseIndex } from './parse-index.ts';
import { isTaskRun, rebuildIndex } from './rebuild.ts';
import { SCHEMA } from './schema.ts';

/** Earlier versions write sessions.json under this lock. */
const LOCK = 'catalogue';
/** The log is read whole by the first who opens it, so it is kept short; it is cut after it had to hold a large index. */
const PRAGMAS = 'PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 200; PRAGMA journal_size_limit = 1048576';
/** To bring the two together, while somebody else writes sessions.json too. */
const MOST_ATTEMPTS = 50;

export interface CatalogueOptions {
  directory: string;
  locks: Locks;
  transcripts: Transcripts;
  now(): number;
  /** Names the start of the machine; by default the kernel's own. */
  readBoot?(): string;
  /** Called when something damaged was moved aside and rebuilt. */
  onRebuild?: (keptAside: string) => void;
  /** Called before the database of an earlier version gets new tables, with that version. */
  beforeMigration?(version: number): Promise<void>;
}

type Use = <T>(statements: (prepare: Prepare) => T) => Promise<T>;

export interface LocalCatalogue extends Catalogue {
  /** Leaves nothing of what was removed in the database. */
  erase(): Promise<void>;
  close(): Promise<void>;
}

export function createCatalogue(options: CatalogueOptions): LocalCatalogue {
  const { directory, locks, transcripts, now, readBoot, onRebuild, beforeMigration } = options;
  const path = join(directory, 'sessions.json');
  const databasePath = join(directory, 'sessions.db');
  const database = createDatabase({
    path: databasePath,
    schema: SCHEMA,
    pragmas: PRAGMAS,
    keepsLog: true,
    beforeMigration,
  });
  const log = createWriteAheadLog(databasePath);
  const file = createIndexFile(path, readBoot);
  const statementsOf = createStatements();
  const useSound = createSyncedDatabase(database, log.prepare);
  const use: UseDatabase = async (statements) => {
    try {
      return await useSound(statements);
    } catch (error) {
      if (!isDamagedDatabase(error)) throw error;
      await replaceDatabase();
      return useSound(statements);
    }
  };
  const { durably, soon } = createWriteTogether({
    use,
    async sync() {
      // The file first: after a power cut between the two it is another than the database knows, and is looked at.
      await file.sync();
      await log.sync();
    },
  });

  const read: Use = (statements) => use((db) => statements(statementsOf(db)));
  const write: Use = (statements) => durably((db) => statements(statementsOf(db)));
  const writeSoon: Use = (statements) => soon((db) => statements(statementsOf(db)));

  /** `entriesInstead` answers where there is no database to ask. */
  async function look<T>(statements: (prepare: Prepare) => T, entriesInstead: (entries: Entries) => T): Promise<T> {
    try {
      if (!(await isAnythingStored())) return entriesInstead(new Map());
      return await whileOurs(read, statements);
    } catch (error) {
      if (!isForReadersOnly(error)) throw error;
      const found = await parseIndex(path);
      if (found.state !== 'read') throw error;
      return entriesInstead(found.entries);
    }
  }

  async function change<T>(statements: (prepare: Prepare) => T, ask = write): Promise<T> {
    await ensureDirectory(directory);
    return whileOurs(ask, statements);
  }

  /** In one step with the check that sessions.json is ours. */
  async function whileOurs<T>(ask: Use, statements: (prepare: Prepare) => T): Promise<T> {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt += 1) {
      const done = await ask((prepare) => (file.isOurs(prepare) ? { value: statements(prepare) } : undefined));
      if (done) return done.value;
      await reconcile();
    }
    throw storageError(path, new Error('another program changes it all the time'));
  }

  /** Looking must not make anything. */
  async function isAnythingStored(): Promise<boolean> {
    return existsSync(databasePath) || existsSync(path) || (await transcripts.list()).length > 0;
  }

  async function reconcile(): Promise<void> {
    const lock = await locks.acquire(LOCK);
    try {
      // Another process may have done it meanwhile.
      if (await read(file.isOurs)) return;
      const before = file.fingerprint();
      const found = await parseIndex(path);
      const isFilled = await read((prepare) => prepare('SELECT 1 FROM index_file').get() !== undefined);
      const isLost = found.state !== 'read' && !isFilled;
      const entries = found.state === 'read' ? found.entries : isLost ? await rebuildIndex(transcripts) : new Map();
      if (found.state === 'damaged') await keepAside(path);
      await takeOver(entries, found.state === 'damaged' ? undefined : before);
    } finally {
      await lock.release();
    }
  }

  /** Nothing happens when the file has changed since it was read. */
  function takeOver(entries: Entries, expected: string | undefined): Promise<void> {
    return write((prepare) => {
      if (file.fingerprint() !== expected) return;
      mergeEntries(
        prepare,
        [...entries.values()].filter(({ sessionKey }) => !isTaskRun(sessionKey)),
      );
      file.rewrite(prepare);
    });
  }

  /** The next use makes another and fills it. */
  async function replaceDatabase(): Promise<void> {
    const lock = await locks.acquire(`${LOCK}-database`);
    try {
      await database.close();
      if (await isSoundDatabase(databasePath, beforeMigration)) return;
      for (const suffix of ['-wal', '-shm']) await rm(`${databasePath}${suffix}`, { force: true });
      await keepAside(databasePath);
    } finally {
      await lock.release();
    }
  }

  async function keepAside(damaged: string): Promise<void> {
    const aside = `${damaged}.damaged-${now()}`;
    await rename(damaged, aside).catch((error: unknown) => {
      throw storageError(damaged, error);
    });
    onRebuild?.(aside);
  }

  /** Damaged indexes hold titles; everything in them is in the transcripts. */
  async function removeKeptAside(): Promise<void> {
    const directory = dirname(databasePath);
    const names = await readdir(directory).catch(() => []);
    for (const name of names)
      if (/^sessions\..*\.damaged-\d+/.test(name)) await rm(join(directory, name), { force: true });
  }

  return {
    get: (sessionKey) =>
      look(
        (prepare) => readEntry(prepare, sessionKey),
        (entries) => entries.get(sessionKey),
      ),
    put: (entry: SessionEntry) => change((prepare) => file.put(prepare, entry)),
    putSoon: (entry: SessionEntry) => change((prepare) => file.put(prepare, entry), writeSoon),
    list: (options = {}) =>
      look(
        (prepare) => listEntries(prepare, options),
        (entries) => listOf(entries.values(), options),
      ),
    count: () => look(countEntries, (entries) => entries.size),
    remove: (sessionKey) => change((prepare) => file.remove(prepare, sessionKey)),
    async erase() {
      await eraseRemoved(use, databasePath);
      await removeKeptAside();
    },
    async close() {
      await database.close();
      file.close();
      await log.close().catch(() => {});
    },
  };
}

async function isSoundDatabase(path: string, beforeMigration: CatalogueOptions['beforeMigration']): Promise<boolean> {
  try {
    const db = await whenFree(() => openDatabase({ path, schema: SCHEMA, pragmas: '', beforeMigration }));
    try {
      return db.prepare('PRAGMA quick_check(1)').get()?.quick_check === 'ok';
    } finally {
      db.close();
    }
  } catch (error) {
    if (isDamagedDatabase({ cause: error })) return false;
    throw storageError(path, error);
  }
}

/** SQLite cannot read its database where it may not write; sessions.json has the same. */
function isForReadersOnly(error: unknown): boolean {
  return error instanceof StorageError && ['STORAGE_READ_ONLY', 'STORAGE_NO_PERMISSION'].includes(error.code);
}
