// The index of past conversations, shared by every gateway: each conversation is read into it once.
import type { HistoryIndex, IndexedSession } from '../history-index.ts';
import type { Locks } from '../locks.ts';
import { createPostgresArchive } from './archive/postgres-archive.ts';
import type { PostgresDatabase } from './database.ts';

interface Row {
  session: string;
  revision: string;
  is_whole: number;
  turn_ends: number;
  is_left_out: number;
}

export function createPostgresHistoryIndex(database: PostgresDatabase, locks: Pick<Locks, 'acquire'>): HistoryIndex {
  const { query } = database;
  return {
    archive: createPostgresArchive({ database, locks, name: 'history' }),
    isUnused: () => false,
    async get(sessionId) {
      const [row] = await query<Row>('SELECT * FROM lainclaw.history_sessions WHERE session = $1', [sessionId]);
      return row && sessionOf(row);
    },
    async sessions() {
      const rows = await query<Row>('SELECT * FROM lainclaw.history_sessions');
      return new Map(rows.map((row) => [row.session, sessionOf(row)]));
    },
    async put({ sessionId, revision, isWhole, turnEnds, isLeftOut }) {
      await query(
        `INSERT INTO lainclaw.history_sessions (session, revision, is_whole, turn_ends, is_left_out) VALUES ($1, $2, $3, $4, $5)
         ON CONFLICT (session) DO UPDATE SET revision = excluded.revision, is_whole = excluded.is_whole,
           turn_ends = excluded.turn_ends, is_left_out = excluded.is_left_out`,
        [sessionId, revision, isWhole ? 1 : 0, turnEnds, isLeftOut ? 1 : 0],
      );
    },
    async remove(sessionId) {
      await query('DELETE FROM lainclaw.history_sessions WHERE session = $1', [sessionId]);
    },
  };
}

function sessionOf(row: Row): IndexedSession {
  return {
    sessionId: row.session,
    revision: row.revision,
    isWhole: row.is_whole === 1,
    turnEnds: row.turn_ends,
    isLeftOut: row.is_left_out === 1,
  };
}
