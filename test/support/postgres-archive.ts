// Archives in PostgreSQL for the conformance suites: one database that is emptied for each test, because making and dropping one takes longer than a test. Each
// door has connections of its own, as two gateways have.
import { newId } from '../../src/lib/new-id.ts';
import { createPostgresArchive } from '../../src/storage/postgres/archive/postgres-archive.ts';
import { openDatabase } from '../../src/storage/postgres/connect.ts';
import type { PostgresDatabase } from '../../src/storage/postgres/database.ts';
import { createPostgresLocks } from '../../src/storage/postgres/leases.ts';
import type { ArchiveSubject } from '../conformance/archive-agreement.ts';
import { type TestDatabase, testDatabase } from './postgres.ts';
import { superuser } from './postgres-cluster.ts';

/** Leaves the tables as they are made. */
export const EMPTY_ARCHIVE = `
  TRUNCATE lainclaw.archive_documents, lainclaw.archive_chunks, lainclaw.archive_terms, lainclaw.archive_postings, lainclaw.archive_totals,
    lainclaw.archive_models, lainclaw.archive_vectors, lainclaw.archive_state, lainclaw.fact_waiting, lainclaw.fact_sources,
    lainclaw.fact_extractions, lainclaw.fact_changes, lainclaw.fact_proposals RESTART IDENTITY;
  INSERT INTO lainclaw.archive_state (generation) VALUES (1)`;

export interface PostgresArchives {
  create(): Promise<ArchiveSubject>;
  drop(): Promise<void>;
}

export function postgresArchives(): PostgresArchives {
  let made: Promise<TestDatabase> | undefined;

  async function create(): Promise<ArchiveSubject> {
    made ??= testDatabase();
    const { url, port, name } = await made;
    const opened: { database: PostgresDatabase; locks: { close(): Promise<void> } }[] = [];
    return {
      open() {
        const database = openDatabase({ url, connections: 3 });
        const locks = createPostgresLocks({ query: database.query, renewalQuery: database.query, newId });
        opened.push({ database, locks });
        return createPostgresArchive({ database, locks });
      },
      async remove() {
        for (const { database, locks } of opened) {
          await locks.close();
          await database.close();
        }
        await superuser(port, (client) => client.query(EMPTY_ARCHIVE), name);
      },
    };
  }

  return { create, drop: async () => (await made)?.drop() };
}
