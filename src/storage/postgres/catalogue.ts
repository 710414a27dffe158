// The index of sessions: a row a key. The entry is kept as it is; columns beside it are what lists are made by.
import type { Catalogue, SessionEntry } from '../storage.ts';
import type { PostgresDatabase } from './database.ts';
import type { Fencing } from './fencing.ts';
import { createSessionReads, type SessionReads } from './session-reads.ts';

const PUT = `
  INSERT INTO lainclaw.sessions (session_key, session_id, updated_at, workspace, entry)
  SELECT $3, $4, $5, $6, $7 FROM held
  ON CONFLICT (session_key) DO UPDATE
  SET session_id = excluded.session_id, updated_at = excluded.updated_at, workspace = excluded.workspace, entry = excluded.entry
  RETURNING 1`;

export function createPostgresCatalogue(
  { query }: PostgresDatabase,
  fencing: Fencing,
  reads: SessionReads = createSessionReads(),
): Catalogue {
  const valuesOf = (entry: SessionEntry): unknown[] => [
    entry.sessionKey,
    entry.sessionId,
    entry.updatedAt,
    entry.workspace ?? null,
    JSON.stringify(entry),
  ];
  const parse = (rows: readonly { entry: string }[]): SessionEntry[] =>
    rows.map(({ entry }) => JSON.parse(entry) as SessionEntry);

  return {
    async get(sessionKey, fence) {
      const read = reads.takeEntry(fence, sessionKey);
      if (read) return read.entry === undefined ? undefined : parse([{ entry: read.entry }])[0];
      const rows = await query<{ entry: string }>('SELECT entry FROM lainclaw.sessions WHERE session_key = $1', [
        sessionKey,
      ]);
      return parse(rows)[0];
    },
    async put(entry, fence) {
      await fencing.write({ statement: PUT, values: valuesOf(entry), fence });
    },
    async putSoon(entry, fence) {
      await fencing.write({ statement: PUT, values: valuesOf(entry), fence, soon: true });
    },
    async list({ limit, after, prefix, workspace } = {}) {
      const rows = await query<{ entry: string }>(
        `SELECT entry FROM lainclaw.sessions
         WHERE ($1::text IS NULL OR starts_with(session_key, $1)) AND ($2::text IS NULL OR workspace = $2)
         AND ($3::text IS NULL OR updated_at < $3 OR (updated_at = $3 AND session_key > $4))
         ORDER BY updated_at DESC, session_key LIMIT $5`,
        [prefix ?? null, workspace ?? null, after?.updatedAt ?? null, after?.sessionKey ?? null, limit ?? null],
      );
      return parse(rows);
    },
    async count() {
      const [row] = await query<{ count: number }>('SELECT count(*) AS count FROM lainclaw.sessions');
      return row?.count ?? 0;
    },
    async remove(sessionKey) {
      const rows = await query('DELETE FROM lainclaw.sessions WHERE session_key = $1 RETURNING 1', [sessionKey]);
      return rows.length > 0;
    },
  };
}
