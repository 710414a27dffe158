// The archive in PostgreSQL. Candidates are ranked by the same code as those of the local archive; only finding them is done by the database.
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import type { Archive, RebuildOptions } from '../../archive.ts';
import type { Locks } from '../../locks.ts';
import type { SharedArchive } from '../../shared-archive.ts';
import type { PostgresDatabase } from '../database.ts';
import { createPostgresFacts } from '../facts/postgres-facts.ts';
import { insertDocuments, prepareDocuments } from './add.ts';
import { countTerms, findCandidates, termsBeginning } from './find.ts';
import { readState } from './index-lock.ts';
import { createKeptVectors } from './kept-vectors.ts';
import { createNearWithPgvector } from './pgvector.ts';
import {
  chunksAround,
  documentsHolding,
  lastReplaced,
  listDocuments,
  readChunks,
  readDocument,
  replacedBy,
  replacementsOf,
  summarise,
} from './read.ts';
import { rebuildIndex } from './rebuild.ts';
import { deleteDocuments } from './remove.ts';
import { type ArchiveName, archiveTables } from './tables.ts';
import { readTotals } from './totals.ts';
import {
  dropOtherVectors,
  embeddedCount,
  nearestChunks,
  pendingChunks,
  putVectors,
  similarChunks,
  whyNotNearest,
} from './vectors.ts';
import { isVisible, scopesOf } from './visible.ts';

export interface PostgresArchiveOptions {
  database: PostgresDatabase;
  locks: Pick<Locks, 'acquire'>;
  name?: ArchiveName;
}

export function createPostgresArchive({ database, locks, name = 'archive' }: PostgresArchiveOptions): SharedArchive {
  const { query, transaction } = database;
  const tables = archiveTables(name);
  const kept = createKeptVectors(database, tables);
  const pgvector = name === 'archive' ? createNearWithPgvector(database) : undefined;
  const chooseNear = pgvector?.choose ?? (async () => undefined);

  const as = (reader: MemoryReader): Archive => {
    const documents = (columns: string, condition: string, value: string) =>
      query(`SELECT ${columns} FROM ${tables.documents} d WHERE ${condition} AND ${isVisible('d', 2)} ORDER BY d.key`, [
        value,
        scopesOf(reader),
      ]);
    return {
      async add(given, termsOf) {
        const prepared = prepareDocuments(given, reader, termsOf);
        return transaction((inside) => insertDocuments(inside, tables, prepared));
      },
      get: (id) => readDocument(query, tables, reader, id),
      list: (options) => listDocuments(query, tables, reader, options),
      summary: () => summarise(query, tables, reader),
      latest: (limit) => listDocuments(query, tables, reader, { limit, withoutTurns: true }),
      idsOf: async (source) =>
        (await documents('d.id', 'left(d.source, 200) = left($1, 200) AND d.source = $1', source)).map(({ id }) =>
          String(id),
        ),
      holding: (redaction) => documentsHolding(query, tables, reader, redaction),
      idsOfSession: async (session) => (await documents('d.id', 'd.session = $1', session)).map(({ id }) => String(id)),
      async documentsBeginning(head) {
        const beginning = `left(d.source, 200) >= left($1, 200) AND left(d.source, 200) < left($1, 200) || chr(1114111)
          AND starts_with(d.source, $1)`;
        const rows = await documents('d.id, d.source, d.hash', beginning, head);
        return rows.map(({ id, source, hash }) => ({ id: String(id), source: String(source), hash: String(hash) }));
      },
      remove: (ids) => transaction((inside) => deleteDocuments(inside, tables, reader, ids)),
      candidates: (terms, limit, { among } = {}) => findCandidates(query, tables, reader, terms, { limit, among }),
      frequencies: (terms, { upTo }) => countTerms(query, tables, reader, terms, upTo),
      // The words of the index are everybody's.
      termsBeginning: async (head, limit) =>
        reader.sees === 'everything' ? termsBeginning(query, tables, head, limit) : [],
      read: (ids) => readChunks(query, tables, reader, ids),
      replacementsOf: (ids) => replacementsOf(query, tables, reader, ids),
      replacedBy: (ids) => replacedBy(query, tables, reader, ids),
      lastReplaced: (limit) => lastReplaced(query, tables, reader, limit),
      around: (chunks, distance) => chunksAround(query, tables, reader, chunks, distance),
      async rebuild(termsOf, options) {
        if (await isCurrent(options)) return counted(reader);
        const lock = await locks.acquire(`${name}-rebuild`, { signal: options.signal });
        try {
          if (await isCurrent(options)) return await counted(reader);
          return await rebuildIndex(database, tables, termsOf, options);
        } finally {
          await lock.release();
        }
      },
      indexVersion: async () => (await readState(query, tables)).version ?? undefined,
      pending: (model, options) => pendingChunks(query, tables, model, options),
      putVectors: (model, vectors) => putVectors(database, tables, model, vectors),
      nearest: (model, vector, limit) =>
        nearestChunks(query, tables, { kept, chooseNear }, { reader, name: model, vector, limit }),
      whyNotNearest: (model) => whyNotNearest(query, tables, pgvector, { reader, name: model }),
      similar: (model, vector, ids) => similarChunks(query, tables, { reader, name: model, vector, ids }),
      embedded: (model) => embeddedCount(query, tables, reader, model),
      async wantModel(model) {
        await query(`UPDATE ${tables.state} SET wanted_model = $1 WHERE wanted_model IS DISTINCT FROM $1`, [model]);
      },
      async wantedModel() {
        const [row] = await query<{ name: string | null }>(`SELECT wanted_model AS name FROM ${tables.state}`);
        return row?.name ?? undefined;
      },
      async keepOnlyVectorsOf(model, { signal } = {}) {
        while (await dropOtherVectors(database, tables, model)) {
          signal?.throwIfAborted();
          await nextTurn();
        }
      },
    };
  };

  async function counted(reader: MemoryReader): Promise<{ chunks: number }> {
    return { chunks: (await readTotals(query, tables, reader)).chunks };
  }

  /** Beside newer gateways, an older one uses their index: the two would otherwise rebuild it in turns. */
  async function isCurrent({ version, unlessCurrent = false }: RebuildOptions): Promise<boolean> {
    if (!unlessCurrent) return false;
    const { version: there } = await readState(query, tables);
    return there !== null && (there === version || Number(there) > Number(version));
  }

  return { as, facts: createPostgresFacts(database, tables) };
}
