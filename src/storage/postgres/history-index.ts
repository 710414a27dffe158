// The index of past conversations, shared by every gateway: each conversation is read into it once.
import type { ComparedIndex, HistoryIndex, IndexedSession } from '../history-index.ts';
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

/** All sessions are compared so often; in between, those that the catalogue names as changed. */
const ALL_AFTER_MS = 10 * 60_000;
/** So far apart may the clocks of two gateways be. */
const CLOCKS_APART_MS = 10 * 60_000;

const IS_STALE = `(h.session IS NULL OR (h.is_left_out = 0 AND (h.is_whole = 0 OR h.revision <> t.generation || ' ' || (
  SELECT coalesce(max(l.number), 0) FROM lainclaw.transcript_lines l WHERE l.session_id = t.session_id))))`;

export function createPostgresHistoryIndex(database: PostgresDatabase, locks: Pick<Locks, 'acquire'>): HistoryIndex {
  const { query } = database;
  const comparison = createComparison(database);
  return {
    compare: comparison.compare,
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
      // When its transcript is still there, it is to be read again, whenever it last changed.
      comparison.compareAllNext();
    },
  };
}

/** One statement reads every session; it takes seconds where there are a million, so that it is rare. */
function createComparison({ query, transaction }: PostgresDatabase) {
  let all: { comparedAt: number; changedUntil: string } | undefined;
  const sessionsOf = (rows: readonly { session: string }[]): string[] => rows.map(({ session }) => session);

  const compareAll = () =>
    transaction(
      async (inside) => {
        const stale = await inside<{ session: string }>(
          `SELECT t.session_id AS session FROM lainclaw.transcripts t LEFT JOIN lainclaw.history_sessions h ON h.session = t.session_id
           WHERE ${IS_STALE} ORDER BY t.session_id DESC`,
        );
        const gone = await inside<{ session: string }>(
          `SELECT h.session FROM lainclaw.history_sessions h
           WHERE NOT EXISTS (SELECT 1 FROM lainclaw.transcripts t WHERE t.session_id = h.session)`,
        );
        return { stale: sessionsOf(stale), gone: sessionsOf(gone) };
      },
      { isLong: true },
    );

  async function compareChanged(since: string) {
    const rows = await query<{ session: string }>(
      `SELECT DISTINCT t.session_id AS session FROM lainclaw.sessions s
       JOIN lainclaw.transcripts t ON t.session_id = s.session_id COLLATE "C"
       LEFT JOIN lainclaw.history_sessions h ON h.session = t.session_id
       WHERE s.updated_at >= $1 AND ${IS_STALE} ORDER BY t.session_id DESC`,
      [since],
    );
    return { stale: sessionsOf(rows), gone: [] };
  }

  async function compare(): Promise<ComparedIndex> {
    const [newest] = await query<{ moment: string | null; total: number }>(
      'SELECT (SELECT max(updated_at) FROM lainclaw.sessions) AS moment, (SELECT count(*) FROM lainclaw.transcripts) AS total',
    );
    const total = newest?.total ?? 0;
    const changedUntil = newest?.moment ?? '';
    if (all && performance.now() - all.comparedAt < ALL_AFTER_MS) {
      const found = await compareChanged(before(all.changedUntil));
      all.changedUntil = changedUntil;
      return { ...found, total };
    }
    const found = await compareAll();
    all = { comparedAt: performance.now(), changedUntil };
    return { ...found, total };
  }

  return {
    compare,
    compareAllNext(): void {
      all = undefined;
    },
  };
}

function before(moment: string): string {
  const time = Date.parse(moment);
  return Number.isNaN(time) ? '' : new Date(time - CLOCKS_APART_MS).toISOString();
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
