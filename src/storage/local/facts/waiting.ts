// Turns that wait for their facts to be extracted.
import type { DatabaseSync } from 'node:sqlite';
import { conversationsOf } from '../../fact-rows.ts';
import type { DueOptions, WaitingConversation, WaitingCounts, WaitingTurn } from '../../facts.ts';

export function letWait(db: DatabaseSync, turn: WaitingTurn): void {
  const { sessionId, turnId, sessionKey, scope, tainted, endedAt } = turn;
  db.prepare(
    'INSERT OR IGNORE INTO fact_waiting (session, turn, session_key, scope, tainted, ended_at) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(sessionId, turnId, sessionKey, scope, tainted ? 1 : 0, endedAt);
}

/** The turns of a session rest together: a new one of it makes all of them wait. */
export function dueConversations(db: DatabaseSync, options: DueOptions): WaitingConversation[] {
  const { now, restMs, limit, evenGivenUp = false } = options;
  const sessions = db
    .prepare(
      `SELECT session FROM fact_waiting WHERE given_up <= ? GROUP BY session
       HAVING max(not_before) <= ? AND (max(ended_at) <= ? OR max(hurried) = 1) ORDER BY min(ended_at) LIMIT ?`,
    )
    .all(evenGivenUp ? 1 : 0, now, now - restMs, limit);
  const turns = db.prepare('SELECT * FROM fact_waiting WHERE session = ? AND given_up <= ? ORDER BY rowid');
  return sessions
    .flatMap(({ session }) => conversationsOf(String(session), turns.all(String(session), evenGivenUp ? 1 : 0)))
    .slice(0, limit);
}

export function nextDue(db: DatabaseSync, restMs: number): number | undefined {
  const row = db
    .prepare(
      `SELECT min(due) AS due FROM (
         SELECT max(max(not_before), CASE WHEN max(hurried) = 1 THEN 0 ELSE max(ended_at) + ? END) AS due
         FROM fact_waiting WHERE given_up = 0 GROUP BY session)`,
    )
    .get(restMs);
  return row?.due === null || row?.due === undefined ? undefined : Number(row.due);
}

export function waitingCounts(db: DatabaseSync): WaitingCounts {
  const row = db
    .prepare(
      `SELECT count(*) FILTER (WHERE given_up = 0) AS turns, count(DISTINCT session) FILTER (WHERE given_up = 0) AS conversations,
         count(*) FILTER (WHERE given_up = 1) AS given_up FROM fact_waiting`,
    )
    .get();
  return {
    turns: Number(row?.turns),
    conversations: Number(row?.conversations),
    givenUp: Number(row?.given_up),
  };
}

/** Returns how many of them were waiting. */
export function stopWaiting(db: DatabaseSync, sessionId: string, turnIds: readonly string[]): number {
  return forEach(db, 'DELETE FROM fact_waiting WHERE session = ? AND turn = ?', sessionId, turnIds);
}

export function giveUp(db: DatabaseSync, sessionId: string, turnIds: readonly string[]): void {
  forEach(db, 'UPDATE fact_waiting SET given_up = 1 WHERE session = ? AND turn = ?', sessionId, turnIds);
}

export function postpone(db: DatabaseSync, sessionId: string, turnIds: readonly string[], until: number): void {
  const statement = db.prepare('UPDATE fact_waiting SET not_before = ? WHERE session = ? AND turn = ?');
  for (const turnId of turnIds) statement.run(until, sessionId, turnId);
}

function forEach(db: DatabaseSync, sql: string, sessionId: string, turnIds: readonly string[]): number {
  const statement = db.prepare(sql);
  return turnIds.reduce((sum, turnId) => sum + Number(statement.run(sessionId, turnId).changes), 0);
}
