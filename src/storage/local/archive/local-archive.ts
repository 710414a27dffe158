// The archive in the one SQLite file, on a connection of its own: what is saved here is synced with each commit, and what
// is removed is overwritten; the counters and caches on the other connection need neither.
import type { DatabaseSync } from 'node:sqlite';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import type { Archive } from '../../archive.ts';
import { documentOf } from '../../archive-rows.ts';
import type { Locks } from '../../locks.ts';
import type { SharedArchive } from '../../shared-archive.ts';
import type { Database } from '../database.ts';
import { emptyLog } from '../erase-removed.ts';
import { createLocalFacts } from '../facts/local-facts.ts';
import { createSyncedDatabase } from '../synced-database.ts';
import { addDocuments, prepareDocuments } from './add.ts';
import { createAddTogether } from './add-together.ts';
import { chunksAround, chunksOfDocument, findCandidates, frequenciesFor, readChunks, termsBeginning } from './find.ts';
import { documentsHolding } from './holding.ts';
import { createKeptBits } from './kept-bits.ts';
import { rebuildIndex } from './rebuild.ts';
import { removeDocuments } from './remove.ts';
import { lastReplaced, replacedBy, replacementsOf } from './replacements.ts';
import { listDocuments, summarise } from './summary.ts';
import { readState } from './tables.ts';
import {
  dropOtherVectors,
  embeddedCount,
  nearestChunks,
  pendingChunks,
  putVectors,
  similarChunks,
  wantedModel,
  wantModel,
} from './vectors.ts';
import { visibleTo } from './visible.ts';

export interface LocalArchiveOptions {
  database: Database;
  locks: Locks;
  /** Names the archive in locks and messages, where there are several. */
  name?: string;
}

export function createLocalArchive({ database, locks, name = 'archive' }: LocalArchiveOptions): SharedArchive {
  const file = name === 'archive' ? 'lainclaw.db' : `${name}.db`;
  const use = createSyncedDatabase(database, (db) => db.exec('PRAGMA secure_delete = ON'));
  const bits = createKeptBits();
  const addTogether = createAddTogether((documents) => use((db) => addDocuments(db, documents)));

  const as = (reader: MemoryReader): Archive => ({
    add: (documents, termsOf) => addTogether(prepareDocuments(documents, reader, termsOf)),
    get: (id) =>
      use((db) => {
        const row = documents(db, reader, 'd.*', 'd.id = ?', id)[0];
        return row && { document: documentOf(row), chunks: chunksOfDocument(db, id) };
      }),
    list: (options) => use((db) => listDocuments(db, reader, options)),
    summary: () => use((db) => summarise(db, reader)),
    latest: (limit) => use((db) => listDocuments(db, reader, { limit, withoutTurns: true })),
    idsOf: (source) => use((db) => documents(db, reader, 'd.id', 'd.source = ?', source).map((row) => String(row.id))),
    holding: (redaction) => use((db) => documentsHolding(db, reader, redaction)),
    idsOfSession: (session) =>
      use((db) => documents(db, reader, 'd.id', 'd.session = ?', session).map((row) => String(row.id))),
    documentsBeginning: (head) =>
      use((db) =>
        documents(
          db,
          reader,
          'd.id, d.source, d.hash',
          'd.source >= ? AND d.source < ?',
          head,
          `${head}\u{10ffff}`,
        ).map(({ id, source, hash }) => ({ id: String(id), source: String(source), hash: String(hash) })),
      ),
    async remove(ids, termsOf) {
      const removed = await use((db) => removeDocuments(db, reader, ids, termsOf));
      if (removed > 0) await emptyLog(use, file);
      return removed;
    },
    candidates: (terms, limit, { among } = {}) => use((db) => findCandidates(db, reader, terms, { limit, among })),
    frequencies: (terms, { upTo }) => use((db) => frequenciesFor(db, reader, terms, upTo)),
    // The words of the index are everybody's.
    termsBeginning: async (head, limit) =>
      reader.sees === 'everything' ? use((db) => termsBeginning(db, head, limit)) : [],
    read: (ids) => use((db) => readChunks(db, reader, ids)),
    replacementsOf: (ids) => use((db) => replacementsOf(db, reader, ids)),
    replacedBy: (ids) => use((db) => replacedBy(db, reader, ids)),
    lastReplaced: (limit) => use((db) => lastReplaced(db, reader, limit)),
    around: (chunks, distance) => use((db) => chunksAround(db, reader, chunks, distance)),
    async rebuild(termsOf, options) {
      const lock = await locks.acquire(`${name}-rebuild`, { signal: options.signal });
      try {
        const { version, chunks } = await use(readState);
        if (options.unlessCurrent && version === options.version) return { chunks };
        return await rebuildIndex(use, termsOf, options);
      } finally {
        await lock.release();
      }
    },
    indexVersion: () => use((db) => readState(db).version ?? undefined),
    pending: (model, options) => use((db) => pendingChunks(db, model, options)),
    putVectors: (model, vectors) => use((db) => putVectors(db, model, vectors)),
    nearest: (model, vector, limit) => use((db) => nearestChunks(db, bits, { reader, name: model, vector, limit })),
    similar: (model, vector, ids) => use((db) => similarChunks(db, { reader, name: model, vector, ids })),
    embedded: (model) => use((db) => embeddedCount(db, reader, model)),
    wantModel: (model) => use((db) => wantModel(db, model)),
    wantedModel: () => use((db) => wantedModel(db)),
    async keepOnlyVectorsOf(model, { signal } = {}) {
      while (await use((db) => dropOtherVectors(db, model))) {
        signal?.throwIfAborted();
        // Others write in between.
        await nextTurn();
      }
    },
  });
  return { as, facts: createLocalFacts(use, () => emptyLog(use, file)) };
}

function documents(
  db: DatabaseSync,
  reader: MemoryReader,
  columns: string,
  condition: string,
  ...parameters: string[]
): Record<string, unknown>[] {
  const { sql, scopes } = visibleTo(reader);
  return db
    .prepare(`SELECT ${columns} FROM archive_documents d WHERE ${condition} AND ${sql}`)
    .all(...parameters, ...scopes);
}
