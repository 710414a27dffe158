import { agentRunOf } from '../agent-run-rows.ts';
import type { AgentRuns, RunsTaken } from '../agent-runs.ts';
import type { Database } from './database.ts';
import { inTransaction } from './open-database.ts';
import { createSyncedDatabase } from './synced-database.ts';

/** Number of ended runs that are kept. */
const KEPT = 1_000;

const isOneOf = (which: RunsTaken): string => (which === 'all' ? '' : 'AND inject_into IS NULL');

/** The connection's commits must be synced. */
export function createAgentRuns(database: Database): AgentRuns {
  const use = createSyncedDatabase(database);

  return {
    add: ({ id, name, message, injectInto, request, asker }, now) =>
      use((db) => {
        db.prepare(
          "INSERT INTO agent_runs (id, name, message, inject_into, request, asker, state, created_at) VALUES (?, ?, ?, ?, ?, ?, 'queued', ?)",
        ).run(id, name, message, injectInto ?? null, request, JSON.stringify(asker), now);
      }),

    claim: (limit, now, which) =>
      use((db) => {
        const row = db
          .prepare(
            `UPDATE agent_runs SET state = 'running', started_at = ?
             WHERE key = (SELECT min(key) FROM agent_runs WHERE state = 'queued' ${isOneOf(which)})
               AND (SELECT count(*) FROM agent_runs WHERE state = 'running') < ?
             RETURNING *`,
          )
          .get(now, limit);
        return row && agentRunOf(row);
      }),

    end: (id, { state, result, error, sessionId, isUndelivered }, now) =>
      use((db) =>
        inTransaction(db, () => {
          const { changes } = db
            .prepare(
              "UPDATE agent_runs SET state = ?, ended_at = ?, result = ?, error = ?, session_id = ?, untold = ? WHERE id = ? AND state IN ('queued', 'running')",
            )
            .run(state, now, result ?? null, error ?? null, sessionId ?? null, isUndelivered ? 1 : 0, id);
          db.prepare(
            `DELETE FROM agent_runs WHERE state NOT IN ('queued', 'running') AND untold = 0 AND key <= (
               SELECT key FROM agent_runs WHERE state NOT IN ('queued', 'running') ORDER BY key DESC LIMIT 1 OFFSET ?)`,
          ).run(KEPT);
          return changes > 0;
        }),
      ),

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

    hasQueued: (which) =>
      use(
        (db) =>
          db.prepare(`SELECT 1 FROM agent_runs WHERE state = 'queued' ${isOneOf(which)} LIMIT 1`).get() !== undefined,
      ),

    undelivered: (limit) =>
      use((db) =>
        db.prepare('SELECT * FROM agent_runs WHERE untold = 1 ORDER BY key LIMIT ?').all(limit).map(agentRunOf),
      ),

    markDelivered: (id) =>
      use((db) => {
        db.prepare('UPDATE agent_runs SET untold = 0 WHERE id = ?').run(id);
      }),

    forgetSession: (sessionId) =>
      use((db) => {
        db.prepare("DELETE FROM agent_runs WHERE session_id = ? AND state NOT IN ('queued', 'running')").run(sessionId);
      }),

    get: (id) =>
      use((db) => {
        const row = db.prepare('SELECT * FROM agent_runs WHERE id = ?').get(id);
        return row && agentRunOf(row);
      }),

    list: ({ name, state, limit }) =>
      use((db) =>
        db
          .prepare(
            'SELECT * FROM agent_runs WHERE (?1 IS NULL OR name = ?1) AND (?2 IS NULL OR state = ?2) ORDER BY key DESC LIMIT ?3',
          )
          .all(name ?? null, state ?? null, limit)
          .map(agentRunOf),
      ),
  };
}
