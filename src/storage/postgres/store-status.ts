import { type VectorSupport, vectorSupport } from './archive/pgvector.ts';
import type { PostgresDatabase } from './database.ts';
import { KNOWN_VERSION, readVersion } from './migrations.ts';

export interface StoreStatus {
  /** Host, port and name. */
  address: string;
  role: string;
  /** Of PostgreSQL. */
  server: string;
  /** `ready`; `empty`: there are no tables; `older`: a migration is missing; `newer`: a newer Lainclaw is needed. */
  tables: 'ready' | 'empty' | 'older' | 'newer';
  version: number;
  knownVersion: number;
  isReadOnly: boolean;
  /** True when the role could change or drop the tables. */
  ownsTables: boolean;
  /** How meaning is searched: with an index of pgvector, or by comparing in each gateway. `available`: the server has pgvector, and the tables do not use it yet. */
  vectors: VectorSupport;
  /** Files of conversations, by where they are; absent while the tables cannot be used. */
  files?: FilesInPlace[];
  /** Rows of the largest kinds; absent while the tables cannot be used. */
  counts?: { sessions: number; transcripts: number; jobs: number; inbox: number; outbox: number };
}

export interface FilesInPlace {
  place: 'database' | 'bucket' | 'machine';
  /** Of this place: the only one that has them. */
  machine?: string;
  count: number;
  bytes: number;
}

export async function readStoreStatus({ query, address }: PostgresDatabase): Promise<StoreStatus> {
  const { version, oldestProgram } = await readVersion(query);
  const [server] = await query<{ role: string; version: string; readOnly: boolean; owns: boolean }>(`
    SELECT current_user AS role, current_setting('server_version') AS version,
      current_setting('transaction_read_only') = 'on' AS "readOnly",
      EXISTS (SELECT 1 FROM pg_tables WHERE schemaname = 'lainclaw' AND pg_has_role(tableowner, 'USAGE')) AS owns`);
  const tables = stateOf(version, oldestProgram);
  const [counts] =
    tables !== 'ready'
      ? []
      : await query<NonNullable<StoreStatus['counts']>>(`
          SELECT (SELECT count(*) FROM lainclaw.sessions) AS sessions,
            (SELECT count(*) FROM lainclaw.transcripts) AS transcripts,
            (SELECT count(*) FROM lainclaw.schedule_jobs) AS jobs,
            (SELECT count(*) FROM lainclaw.inbox WHERE finished_at IS NULL) AS inbox,
            (SELECT count(*) FROM lainclaw.outbox WHERE state = 'waiting') AS outbox`);
  return {
    address,
    role: server?.role ?? '',
    server: server?.version ?? '',
    tables,
    version,
    knownVersion: KNOWN_VERSION,
    isReadOnly: server?.readOnly ?? false,
    ownsTables: server?.owns ?? false,
    vectors: tables === 'empty' ? 'none' : await vectorSupport(query),
    ...(counts && { counts, files: await filesByPlace(query) }),
  };
}

async function filesByPlace(query: PostgresDatabase['query']): Promise<FilesInPlace[]> {
  const rows = await query<FilesInPlace & { machine: string | null }>(`
    SELECT place, CASE WHEN place = 'machine' THEN machine END AS machine, count(*) AS count, sum(bytes)::float8 AS bytes
    FROM lainclaw.files GROUP BY 1, 2 ORDER BY 1, 2`);
  return rows.map(({ machine, ...row }) => ({ ...row, ...(machine !== null && { machine }) }));
}

/** How many of these conversations the database does not have. */
export async function missingTranscripts({ query }: PostgresDatabase, sessionIds: readonly string[]): Promise<number> {
  const [row] = await query<{ count: number }>(
    `SELECT count(*) AS count FROM unnest($1::text[]) AS id
     WHERE NOT EXISTS (SELECT 1 FROM lainclaw.transcripts WHERE session_id = id)`,
    [sessionIds],
  );
  return row?.count ?? 0;
}

/** Whether the database has any of these texts of memory: a copy keeps their ids. */
export async function hasMemoryOf({ query }: PostgresDatabase, documentIds: readonly string[]): Promise<boolean> {
  const found = await query('SELECT 1 FROM lainclaw.archive_documents WHERE id = ANY($1::text[]) LIMIT 1', [
    documentIds,
  ]);
  return found.length > 0;
}

function stateOf(version: number, oldestProgram: number): StoreStatus['tables'] {
  if (version === 0) return 'empty';
  if (oldestProgram > KNOWN_VERSION) return 'newer';
  return version < KNOWN_VERSION ? 'older' : 'ready';
}
