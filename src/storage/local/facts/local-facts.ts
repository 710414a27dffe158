// Facts in the one SQLite file, beside the archive's documents.
import type { DatabaseSync } from 'node:sqlite';
import type { FactKind } from '../../../vocabulary/fact.ts';
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import { changeOf, extractionOf, knownFactOf, proposalOf } from '../../fact-rows.ts';
import type { Extraction, FactStore, KnownFact, LoggedChange, Proposal } from '../../facts.ts';
import { visibleTo } from '../archive/visible.ts';
import { inTransaction } from '../open-database.ts';
import type { UseDatabase } from '../synced-database.ts';
import { keepExtraction, keepProblem, settleProposal, undoExtraction } from './keep.ts';
import { dueConversations, letWait, nextDue, postpone, stopWaiting, waitingCounts } from './waiting.ts';

/** `emptyLog` leaves nothing of what was removed in the write-ahead log. */
export function createLocalFacts(use: UseDatabase, emptyLog: () => Promise<void>): FactStore {
  const write = <T>(statements: (db: DatabaseSync) => T): Promise<T> =>
    use((db) => inTransaction(db, () => statements(db)));
  return {
    // The turn's messages are archived next, and synced: this write waits for nothing.
    wait: (turn) =>
      use((db) => {
        db.exec('PRAGMA synchronous = NORMAL');
        try {
          letWait(db, turn);
        } finally {
          db.exec('PRAGMA synchronous = FULL');
        }
      }),
    hurry: (sessionId) =>
      use((db) => {
        db.prepare('UPDATE fact_waiting SET hurried = 1 WHERE session = ?').run(sessionId);
      }),
    due: (options) => use((db) => dueConversations(db, options)),
    nextDue: (restMs) => use((db) => nextDue(db, restMs)),
    waiting: () => use(waitingCounts),
    drop: (sessionId, turnIds) => write((db) => void stopWaiting(db, sessionId, turnIds)),
    async keep(extraction, termsOf) {
      try {
        return await write((db) => keepExtraction(db, extraction, termsOf) ?? takeBack());
      } catch (error) {
        if (isTakenBack(error)) return undefined;
        throw error;
      }
    },
    keepProblem: (extraction) => write((db) => keepProblem(db, extraction)),
    postpone: (sessionId, turnIds, until) => write((db) => postpone(db, sessionId, turnIds, until)),
    tokensSince: (moment) =>
      use((db) =>
        Number(
          db.prepare('SELECT coalesce(sum(tokens), 0) AS tokens FROM fact_extractions WHERE at >= ?').get(moment)
            ?.tokens,
        ),
      ),
    log: (reader, limit) => use((db) => logOf(db, reader, limit)),
    async undo(reader, number, at, termsOf) {
      const undone = await write((db) => undoExtraction(db, reader, { number, at }, termsOf));
      if (undone) await emptyLog();
      return undone;
    },
    proposals: (reader) => use((db) => proposalsOf(db, reader)),
    async settleProposal(reader, number, accepted, termsOf) {
      const isSettled = await write((db) => settleProposal(db, reader, number, accepted, termsOf));
      if (isSettled && !accepted) await emptyLog();
      return isSettled;
    },
    valid: (reader, limit) => use((db) => validFacts(db, reader, limit)),
    counts: (reader) => use((db) => countsOf(db, reader)),
    saidIn: (sessionId, turnIds) => use((db) => saidIn(db, sessionId, turnIds)),
    forgetSession: (sessionId) =>
      write((db) => {
        for (const table of ['fact_waiting', 'fact_proposals', 'fact_sources'])
          db.prepare(`DELETE FROM ${table} WHERE session = ?`).run(sessionId);
      }),
  };
}

class TakenBack extends Error {}

/** Rolls the transaction back. */
function takeBack(): never {
  throw new TakenBack();
}

function isTakenBack(error: unknown): boolean {
  return error instanceof TakenBack || (error as { cause?: unknown }).cause instanceof TakenBack;
}

function logOf(db: DatabaseSync, reader: MemoryReader, limit: number): Extraction[] {
  const { sql, scopes } = visibleTo(reader);
  const rows = db
    .prepare(`SELECT * FROM fact_extractions d WHERE ${sql} ORDER BY number DESC LIMIT ?`)
    .all(...scopes, limit);
  return rows.map((row) => extractionOf(row, changesOf(db, Number(row.number))));
}

const TEXT_OF = (column: string): string =>
  `(SELECT group_concat(k.text, '') FROM archive_chunks k JOIN archive_documents o ON o.key = k.document WHERE o.id = ${column})`;

function changesOf(db: DatabaseSync, extraction: number): LoggedChange[] {
  const rows = db
    .prepare(
      `SELECT c.*, coalesce(${TEXT_OF('c.document')}, (
         SELECT p.text FROM fact_proposals p WHERE p.extraction = c.extraction AND p.position = c.position)) AS text,
         ${TEXT_OF('c.other')} AS other_text FROM fact_changes c WHERE c.extraction = ? ORDER BY c.position`,
    )
    .all(extraction);
  return rows.map(changeOf);
}

function proposalsOf(db: DatabaseSync, reader: MemoryReader): Proposal[] {
  const { sql, scopes } = visibleTo(reader);
  const rows = db
    .prepare(`SELECT d.*, ${TEXT_OF('d.other')} AS other_text FROM fact_proposals d WHERE ${sql} ORDER BY number`)
    .all(...scopes);
  return rows.map(proposalOf);
}

function validFacts(db: DatabaseSync, reader: MemoryReader, limit: number): KnownFact[] {
  const { sql, scopes } = visibleTo(reader);
  const rows = db
    .prepare(
      `SELECT d.id, d.kind, d.date, coalesce(d.valid_from, d.date) AS valid_from, ${TEXT_OF('d.id')} AS text FROM archive_documents d
       WHERE d.kind IS NOT NULL AND d.superseded_by IS NULL AND ${sql} ORDER BY d.key DESC LIMIT ?`,
    )
    .all(...scopes, limit);
  return rows.map(knownFactOf);
}

function countsOf(db: DatabaseSync, reader: MemoryReader): Partial<Record<FactKind, number>> {
  const { sql, scopes } = visibleTo(reader);
  const rows = db
    .prepare(
      `SELECT kind, count(*) AS count FROM archive_documents d WHERE kind IS NOT NULL AND superseded_by IS NULL AND ${sql} GROUP BY kind`,
    )
    .all(...scopes);
  return Object.fromEntries(rows.map((row) => [String(row.kind), Number(row.count)]));
}

function saidIn(db: DatabaseSync, sessionId: string, turnIds: readonly string[] | undefined): string[] {
  if (turnIds !== undefined) {
    const ofTurn = db.prepare('SELECT document FROM fact_sources WHERE session = ? AND turn = ?');
    return [...new Set(turnIds.flatMap((turn) => ofTurn.all(sessionId, turn).map((row) => String(row.document))))];
  }
  return db
    .prepare(
      `SELECT DISTINCT document FROM fact_sources s WHERE session = ?
       AND NOT EXISTS (SELECT 1 FROM fact_sources o WHERE o.document = s.document AND o.session <> s.session)`,
    )
    .all(sessionId)
    .map((row) => String(row.document));
}
