// Runs of sub-agents in the background. A claim is made under a lock of the table's running rows, so that no more run than may.
import { agentRunOf } from '../agent-run-rows.ts';
import type { AgentRuns } from '../agent-runs.ts';
import type { PostgresDatabase } from './database.ts';
import { withoutZeros } from './zero-bytes.ts';

/** Number of ended runs that are kept. */
const KEPT = 1_000;
const LOCK = `SELECT pg_advisory_xact_lock(hashtextextended('lainclaw agent runs', 0))`;
const IS_TAKEN = `($1::text = 'all' OR inject_into IS NULL)`;

export function createPostgresAgentRuns({ query, transaction }: PostgresDatabase): AgentRuns {
  return {
    async add({ id, name, message, injectInto, request, asker }, now) {
      await query(
        `INSERT INTO lainclaw.agent_runs (id, name, message, inject_into, request, asker, state, created_at)
         VALUES ($1, $2, $3, $4, $5, $6, 'queued', $7) ON CONFLICT (id) DO NOTHING`,
        [id, name, withoutZeros(message), injectInto ?? null, request, JSON.stringify(asker), now],
      );
    },

    claim: (limit, now, which) =>
      transaction(async (inside) => {
        await inside(LOCK);
        const [row] = await inside(
          `UPDATE lainclaw.agent_runs SET state = 'running', started_at = $2
           WHERE key = (SELECT min(key) FROM lainclaw.agent_runs WHERE state = 'queued' AND ${IS_TAKEN})
             AND (SELECT count(*) FROM lainclaw.agent_runs WHERE state = 'running') < $3
           RETURNING *`,
          [which, now, limit],
        );
        return row && agentRunOf(row);
      }),

    end: (id, { state, result, error, sessionId, isUndelivered }, now) =>
      transaction(async (inside) => {
        const ended = await inside(
          `UPDATE lainclaw.agent_runs
           SET state = $2, ended_at = $3, result = $4, error = $5, session_id = $6, untold = $7
           WHERE id = $1 AND state IN ('queued', 'running') RETURNING 1`,
          [id, state, now, textOf(result), textOf(error), sessionId ?? null, isUndelivered ? 1 : 0],
        );
        await inside(
          `DELETE FROM lainclaw.agent_runs WHERE state NOT IN ('queued', 'running') AND untold = 0 AND key <= (
             SELECT key FROM lainclaw.agent_runs WHERE state NOT IN ('queued', 'running')
             ORDER BY key DESC LIMIT 1 OFFSET $1)`,
          [KEPT],
        );
        return ended.length > 0;
      }),

    async cancel(id, now) {
      const rows = await query(
        `UPDATE lainclaw.agent_runs SET cancel_requested = 1,
           state = CASE state WHEN 'queued' THEN 'cancelled' ELSE state END,
           ended_at = CASE state WHEN 'queued' THEN $2 ELSE ended_at END
         WHERE id = $1 AND state IN ('queued', 'running') RETURNING 1`,
        [id, now],
      );
      return rows.length > 0;
    },

    async isCancelRequested(id) {
      const [row] = await query<{ asked: number }>(
        'SELECT cancel_requested AS asked FROM lainclaw.agent_runs WHERE id = $1',
        [id],
      );
      return row?.asked === 1;
    },

    async hasQueued(which) {
      const rows = await query(`SELECT 1 FROM lainclaw.agent_runs WHERE state = 'queued' AND ${IS_TAKEN} LIMIT 1`, [
        which,
      ]);
      return rows.length > 0;
    },

    async undelivered(limit) {
      const rows = await query('SELECT * FROM lainclaw.agent_runs WHERE untold = 1 ORDER BY key LIMIT $1', [limit]);
      return rows.map(agentRunOf);
    },

    async markDelivered(id) {
      await query('UPDATE lainclaw.agent_runs SET untold = 0 WHERE id = $1', [id]);
    },

    async forgetSession(sessionId) {
      await query(`DELETE FROM lainclaw.agent_runs WHERE session_id = $1 AND state NOT IN ('queued', 'running')`, [
        sessionId,
      ]);
    },

    async get(id) {
      const [row] = await query('SELECT * FROM lainclaw.agent_runs WHERE id = $1', [id]);
      return row && agentRunOf(row);
    },

    async list({ name, state, limit }) {
      const rows = await query(
        `SELECT * FROM lainclaw.agent_runs WHERE ($1::text IS NULL OR name = $1) AND ($2::text IS NULL OR state = $2)
         ORDER BY key DESC LIMIT $3`,
        [name ?? null, state ?? null, limit],
      );
      return rows.map(agentRunOf);
    },
  };
}

function textOf(text: string | undefined): string | null {
  return text === undefined ? null : withoutZeros(text);
}
