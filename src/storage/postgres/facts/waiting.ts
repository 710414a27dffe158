// Turns that wait for their facts to be extracted.

import { conversationsOf } from '../../fact-rows.ts';
import type { DueOptions, WaitingConversation, WaitingCounts, WaitingTurn } from '../../facts.ts';
import type { ArchiveTables } from '../archive/tables.ts';
import type { Query } from '../database.ts';

export async function letWait(query: Query, { factWaiting }: ArchiveTables, turn: WaitingTurn): Promise<void> {
  const { sessionId, turnId, sessionKey, scope, tainted, endedAt } = turn;
  await query(
    `INSERT INTO ${factWaiting} (session, turn, session_key, scope, tainted, ended_at) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT DO NOTHING`,
    [sessionId, turnId, sessionKey, scope, tainted ? 1 : 0, endedAt],
  );
}

/** The turns of a session rest together: a new one of it makes all of them wait. */
export async function dueConversations(
  query: Query,
  { factWaiting }: ArchiveTables,
  { now, restMs, limit, evenGivenUp = false }: DueOptions,
): Promise<WaitingConversation[]> {
  const rows = await query<{ session: string }>(
    `SELECT w.* FROM ${factWaiting} w JOIN (
       SELECT session, min(ended_at) AS since FROM ${factWaiting} WHERE given_up <= $1 GROUP BY session
       HAVING max(not_before) <= $2 AND (max(ended_at) <= $3 OR max(hurried) = 1) ORDER BY since LIMIT $4
     ) due ON due.session = w.session
     WHERE w.given_up <= $1 ORDER BY due.since, w.session, w.seq`,
    [evenGivenUp ? 1 : 0, now, now - restMs, limit],
  );
  return [...Map.groupBy(rows, ({ session }) => session)]
    .flatMap(([session, turns]) => conversationsOf(session, turns))
    .slice(0, limit);
}

export async function nextDue(
  query: Query,
  { factWaiting }: ArchiveTables,
  restMs: number,
): Promise<number | undefined> {
  const [row] = await query<{ due: number | null }>(
    `SELECT min(due) AS due FROM (
       SELECT greatest(max(not_before), CASE WHEN max(hurried) = 1 THEN 0 ELSE max(ended_at) + $1::bigint END) AS due
       FROM ${factWaiting} WHERE given_up = 0 GROUP BY session) sessions`,
    [restMs],
  );
  return row?.due ?? undefined;
}

export async function waitingCounts(query: Query, { factWaiting }: ArchiveTables): Promise<WaitingCounts> {
  const [row] = await query<WaitingCounts>(
    `SELECT count(*) FILTER (WHERE given_up = 0) AS turns, count(DISTINCT session) FILTER (WHERE given_up = 0) AS conversations,
       count(*) FILTER (WHERE given_up = 1) AS "givenUp" FROM ${factWaiting}`,
  );
  return row ?? { turns: 0, conversations: 0, givenUp: 0 };
}

/** Returns how many of them were waiting. */
export async function stopWaiting(
  query: Query,
  { factWaiting }: ArchiveTables,
  sessionId: string,
  turnIds: readonly string[],
): Promise<number> {
  const rows = await query(`DELETE FROM ${factWaiting} WHERE session = $1 AND turn = ANY ($2::text[]) RETURNING 1`, [
    sessionId,
    turnIds,
  ]);
  return rows.length;
}

export async function updateWaiting(
  query: Query,
  { factWaiting }: ArchiveTables,
  change: { column: 'given_up' | 'not_before'; value: number },
  { sessionId, turnIds }: { sessionId: string; turnIds: readonly string[] },
): Promise<void> {
  await query(`UPDATE ${factWaiting} SET ${change.column} = $3 WHERE session = $1 AND turn = ANY ($2::text[])`, [
    sessionId,
    turnIds,
    change.value,
  ]);
}
