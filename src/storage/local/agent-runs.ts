import type { DatabaseSync } from 'node:sqlite';
import type { AgentRun, AgentRuns } from '../agent-runs.ts';
import type { Database } from './database.ts';

const TABLE = `
  CREATE TABLE IF NOT EXISTS agent_runs (
    key INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, name TEXT NOT NULL, message TEXT NOT NULL, inject_into TEXT,
    request TEXT NOT NULL, state TEXT NOT NULL, created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER,
    cancel_requested INTEGER NOT NULL DEFAULT 0, result TEXT, error TEXT, session_id TEXT);
  CREATE INDEX IF NOT EXISTS agent_runs_state ON agent_runs (state, key);
`;
/** Of those that have ended. */
const KEPT = 1_000;

/** The connection's commits must be synced. */
export function createAgentRuns(database: Database): AgentRuns {
  let prepared = false;
  const use = <T>(statements: (db: DatabaseSync) => T): Promise<T> =>
    database.use((db) => {
      if (!prepared) db.exec(`PRAGMA synchronous = FULL; ${TABLE}`);
      prepared = true;
      return statements(db);
    });

  return {
    add: ({ id, name, message, injectInto, request }, now) =>
      use((db) => {
        db.prepare(
          "INSERT INTO agent_runs (id, name, message, inject_into, request, state, created_at) VALUES (?, ?, ?, ?, ?, 'queued', ?)",
        ).run(id, name, message, injectInto ?? null, request, now);
      }),

    claim: (limit, now) =>
      use((db) => {
        const row = db
          .prepare(
            `UPDATE agent_runs SET state = 'running', started_at = ?
             WHERE key = (SELECT min(key) FROM agent_runs WHERE state = 'queued')
               AND (SELECT count(*) FROM agent_runs WHERE state = 'running') < ?
             RETURNING *`,
          )
          .get(now, limit);
        return row && toRun(row);
      }),

    end: (id, { state, result, error, sessionId }, now) =>
      use((db) => {
        const { changes } = db
          .prepare(
            "UPDATE agent_runs SET state = ?, ended_at = ?, result = ?, error = ?, session_id = ? WHERE id = ? AND state IN ('queued', 'running')",
          )
          .run(state, now, result ?? null, error ?? null, sessionId ?? null, id);
        db.prepare(
          `DELETE FROM agent_runs WHERE state NOT IN ('queued', 'running') AND key <= (
             SELECT key FROM agent_runs WHERE state NOT IN ('queued', 'running') ORDER BY key DESC LIMIT 1 OFFSET ?)`,
        ).run(KEPT);
        return changes > 0;
      }),

    cancel: (id, now) =>
      use((db) => {
        const { changes } = db
          .prepare(
            `UPDATE agent_runs SET cancel_requested = 1,
               state = CASE state WHEN 'queued' THEN 'cancelled' ELSE state END,
               ended_at = CASE state WHEN 'queued' THEN ? ELSE ended_at END
             WHERE id = ? AND state IN ('queued', 'running')`,
          )
          .run(now, id);
        return changes > 0;
      }),

    isCancelRequested: (id) =>
      use((db) => db.prepare('SELECT cancel_requested AS asked FROM agent_runs WHERE id = ?').get(id)?.asked === 1),

    get: (id) =>
      use((db) => {
        const row = db.prepare('SELECT * FROM agent_runs WHERE id = ?').get(id);
        return row && toRun(row);
      }),

    list: ({ name, state, limit }) =>
      use((db) =>
        db
          .prepare(
            'SELECT * FROM agent_runs WHERE (?1 IS NULL OR name = ?1) AND (?2 IS NULL OR state = ?2) ORDER BY key DESC LIMIT ?3',
          )
          .all(name ?? null, state ?? null, limit)
          .map(toRun),
      ),
  };
}

function toRun(row: Record<string, unknown>): AgentRun {
  const optional = <K extends string>(key: K, value: unknown): Record<K, never> | Record<string, never> =>
    (value === null ? {} : { [key]: value }) as Record<K, never>;
  return {
    id: row.id as string,
    name: row.name as string,
    message: row.message as string,
    request: row.request as string,
    state: row.state as AgentRun['state'],
    createdAt: row.created_at as number,
    cancelRequested: row.cancel_requested === 1,
    ...optional('injectInto', row.inject_into),
    ...optional('startedAt', row.started_at),
    ...optional('endedAt', row.ended_at),
    ...optional('result', row.result),
    ...optional('error', row.error),
    ...optional('sessionId', row.session_id),
  };
}
