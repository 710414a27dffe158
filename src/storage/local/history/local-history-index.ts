import { existsSync } from 'node:fs';
import type { HistoryIndex, IndexedSession } from '../../history-index.ts';
import type { Locks } from '../../locks.ts';
import { createLocalArchive } from '../archive/local-archive.ts';
import type { Database } from '../database.ts';
import { createSyncedDatabase } from '../synced-database.ts';

export interface LocalHistoryIndexOptions {
  database: Database;
  /** Of its file. */
  path: string;
  locks: Locks;
}

export function createLocalHistoryIndex({ database, path, locks }: LocalHistoryIndexOptions): HistoryIndex {
  const use = createSyncedDatabase(database);
  return {
    archive: createLocalArchive({ database, locks, name: 'history' }),
    isUnused: () => !existsSync(path),
    get: (sessionId) =>
      use((db) => {
        const row = db.prepare('SELECT * FROM history_sessions WHERE session = ?').get(sessionId);
        return row && sessionOf(row);
      }),
    sessions: () =>
      use((db) => {
        const rows = db.prepare('SELECT * FROM history_sessions').all();
        return new Map(rows.map((row) => [String(row.session), sessionOf(row)]));
      }),
    put: ({ sessionId, revision, isWhole, turnEnds, isLeftOut }) =>
      use((db) => {
        db.prepare('INSERT OR REPLACE INTO history_sessions VALUES (?, ?, ?, ?, ?)').run(
          sessionId,
          revision,
          isWhole ? 1 : 0,
          turnEnds,
          isLeftOut ? 1 : 0,
        );
      }),
    remove: (sessionId) =>
      use((db) => void db.prepare('DELETE FROM history_sessions WHERE session = ?').run(sessionId)),
  };
}

function sessionOf(row: Record<string, unknown>): IndexedSession {
  return {
    sessionId: String(row.session),
    revision: String(row.revision),
    isWhole: row.is_whole === 1,
    turnEnds: Number(row.turn_ends),
    isLeftOut: row.is_left_out === 1,
  };
}
