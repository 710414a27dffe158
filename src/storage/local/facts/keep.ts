// Keeping what was extracted: documents, what they replace, their sources and the journal, in the transaction of the caller.
import type { DatabaseSync } from 'node:sqlite';
import type { FactKind } from '../../../vocabulary/fact.ts';
import { type MemoryReader, type MemoryScope, readerWithin } from '../../../vocabulary/memory-scope.ts';
import type { NewDocument, TermsOf } from '../../archive.ts';
import type { FactChange, FactSource, KeptExtraction, NewExtraction } from '../../facts.ts';
import { insertDocuments, prepareDocuments } from '../archive/add.ts';
import { deleteDocuments } from '../archive/remove.ts';
import { visibleTo } from '../archive/visible.ts';
import { giveUp, stopWaiting } from './waiting.ts';

type Journalled = Omit<NewExtraction, 'changes'>;

/** Undefined: something has changed since the facts were extracted; the caller rolls back. */
export function keepExtraction(
  db: DatabaseSync,
  extraction: NewExtraction,
  termsOf: TermsOf,
): KeptExtraction | undefined {
  const { conversation, changes } = extraction;
  const { sessionId, turnIds, scope } = conversation;
  if (stopWaiting(db, sessionId, turnIds) < turnIds.length) return undefined;
  const number = journal(db, extraction);
  const ids: string[] = [];
  for (const [position, change] of changes.entries()) {
    if (change.relation !== 'new' && change.other !== undefined && !isValid(db, scope, change.other)) return undefined;
    const id = keepChange(db, { extraction: number, position, conversation }, change, termsOf);
    if (id !== undefined) ids.push(id);
  }
  return { number, ids, proposals: changes.filter(({ relation }) => relation === 'proposed').length };
}

export function keepProblem(db: DatabaseSync, extraction: Journalled & { problem: string }): void {
  const { sessionId, turnIds } = extraction.conversation;
  giveUp(db, sessionId, turnIds);
  journal(db, extraction);
}

function isValid(db: DatabaseSync, scope: MemoryScope, id: string): boolean {
  return (
    db
      .prepare(
        'SELECT 1 FROM archive_documents WHERE id = ? AND scope = ? AND kind IS NOT NULL AND superseded_by IS NULL',
      )
      .get(id, scope) !== undefined
  );
}

function journal(db: DatabaseSync, { conversation, at, model, usage, ...rest }: Journalled & { problem?: string }) {
  const { sessionId, sessionKey, scope, turnIds } = conversation;
  const { lastInsertRowid } = db
    .prepare(
      `INSERT INTO fact_extractions (session, session_key, scope, first_turn, last_turn, turns, at, model, usage, tokens, problem)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    .run(
      sessionId,
      sessionKey,
      scope,
      turnIds[0] ?? '',
      turnIds.at(-1) ?? '',
      turnIds.length,
      at,
      model ?? null,
      usage ? JSON.stringify(usage) : null,
      usage ? usage.inputTokens + usage.outputTokens : 0,
      rest.problem ?? null,
    );
  return Number(lastInsertRowid);
}

interface ChangePlace {
  extraction: number;
  position: number;
  conversation: NewExtraction['conversation'];
}

/** Returns the id of the fact that was added, or confirmed; undefined for a proposal. */
function keepChange(db: DatabaseSync, place: ChangePlace, change: FactChange, termsOf: TermsOf): string | undefined {
  const { extraction, position, conversation } = place;
  const { sessionId, sessionKey, scope } = conversation;
  const log = (document: string | null, other: string | null): void => {
    db.prepare('INSERT INTO fact_changes VALUES (?, ?, ?, ?, ?, ?)').run(
      extraction,
      position,
      change.relation,
      change.kind,
      document,
      other,
    );
  };
  switch (change.relation) {
    case 'new':
    case 'update':
    case 'contradicts': {
      const other = change.relation === 'new' ? undefined : change.other;
      const isOlder = change.relation !== 'new' && change.isOlder === true;
      const supersedes = isOlder ? undefined : other;
      const id = insertFact(db, readerWithin(scope), { ...change.document, supersedes }, termsOf);
      if (isOlder) supersedeOlder(db, id, change.other);
      else if (other !== undefined) supersedeMessages(db, other, { by: id, from: change.validFrom });
      addSource(db, id, { ...place, source: change.source });
      log(id, other ?? null);
      return id;
    }
    case 'same':
      addSource(db, change.other, { ...place, source: change.source });
      log(change.other, null);
      return change.other;
    case 'proposed': {
      const { source, validFrom, text, kind, why, other = null } = change;
      db.prepare(
        `INSERT INTO fact_proposals (extraction, position, scope, session, session_key, turn, said_at, valid_from, text, kind, why, other, topic)
         VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      ).run(
        extraction,
        position,
        scope,
        sessionId,
        sessionKey,
        source.turnId,
        source.saidAt,
        validFrom,
        text,
        kind,
        why,
        other,
        change.topic ?? null,
      );
      log(null, other);
      return undefined;
    }
  }
}

function insertFact(db: DatabaseSync, reader: MemoryReader, document: NewDocument, termsOf: TermsOf): string {
  const [kept] = insertDocuments(db, prepareDocuments([document], reader, termsOf));
  return kept?.id ?? document.id;
}

/** What was said before a fact that is known already is past from the start. */
function supersedeOlder(db: DatabaseSync, older: string, by: string): void {
  db.prepare(
    `UPDATE archive_documents SET superseded_by = ?,
       valid_until = (SELECT coalesce(n.valid_from, n.date) FROM archive_documents n WHERE n.id = ?) WHERE id = ?`,
  ).run(by, by, older);
}

function addSource(
  db: DatabaseSync,
  document: string,
  { extraction, conversation, source }: Omit<ChangePlace, 'position'> & { source: FactSource },
): void {
  db.prepare(
    'INSERT OR IGNORE INTO fact_sources (document, session, turn, said_at, extraction, message) VALUES (?, ?, ?, ?, ?, ?)',
  ).run(document, conversation.sessionId, source.turnId, source.saidAt, extraction, source.message ?? null);
}

/** Messages that said only what is no longer true are found behind what replaced it, like any text that was replaced. */
function supersedeMessages(db: DatabaseSync, old: string, { by, from }: { by: string; from: string }): void {
  const said = db
    .prepare('SELECT session, message FROM fact_sources WHERE document = ? AND message IS NOT NULL')
    .all(old);
  const saysMore = db.prepare(
    `SELECT 1 FROM fact_sources s JOIN archive_documents d ON d.id = s.document
     WHERE s.session = ? AND s.message = ? AND d.superseded_by IS NULL`,
  );
  const supersede = db.prepare(
    `UPDATE archive_documents SET superseded_by = ?, valid_until = ? WHERE hash = ? AND kind IS NULL AND superseded_by IS NULL
     AND key IN (SELECT document FROM archive_chunks WHERE session = ?)`,
  );
  for (const { session, message } of said)
    if (!saysMore.get(String(session), String(message))) supersede.run(by, from, String(message), String(session));
}

/** Facts that another extraction confirmed as well stay. */
export function undoExtraction(
  db: DatabaseSync,
  reader: MemoryReader,
  { number, at }: { number: number; at: number },
  termsOf: TermsOf,
): { removed: number } | undefined {
  const { sql, scopes } = visibleTo(reader);
  const { changes } = db
    .prepare(`UPDATE fact_extractions AS d SET undone_at = ? WHERE number = ? AND undone_at IS NULL AND ${sql}`)
    .run(at, number, ...scopes);
  if (changes === 0) return undefined;
  const said = db.prepare('SELECT DISTINCT document FROM fact_sources WHERE extraction = ?').all(number);
  db.prepare('DELETE FROM fact_sources WHERE extraction = ?').run(number);
  db.prepare('DELETE FROM fact_proposals WHERE extraction = ?').run(number);
  const hasSource = db.prepare('SELECT 1 FROM fact_sources WHERE document = ?');
  const alone = said.map(({ document }) => String(document)).filter((id) => !hasSource.get(id));
  return { removed: deleteDocuments(db, reader, alone, termsOf) };
}

export function settleProposal(
  db: DatabaseSync,
  reader: MemoryReader,
  number: number,
  accepted: { document: NewDocument; at: number } | undefined,
  termsOf: TermsOf,
): boolean {
  const { sql, scopes } = visibleTo(reader);
  const row = db.prepare(`SELECT * FROM fact_proposals d WHERE number = ? AND ${sql}`).get(number, ...scopes);
  if (!row) return false;
  db.prepare('DELETE FROM fact_proposals WHERE number = ?').run(number);
  if (!accepted) return true;
  const scope = row.scope as MemoryScope;
  // Meanwhile something else may have replaced it.
  const replaced = row.other !== null && isValid(db, scope, String(row.other)) ? String(row.other) : undefined;
  const { validFrom } = accepted.document;
  const document = { ...accepted.document, kind: row.kind as FactKind, validFrom, supersedes: replaced };
  const id = insertFact(db, readerWithin(scope), document, termsOf);
  const conversation = { sessionId: String(row.session), sessionKey: String(row.session_key), scope, turnIds: [] };
  const source = { turnId: String(row.turn), saidAt: String(row.said_at) };
  addSource(db, id, { extraction: Number(row.extraction), conversation, source });
  db.prepare('UPDATE fact_changes SET document = ?, other = ? WHERE extraction = ? AND position = ?').run(
    id,
    replaced ?? null,
    Number(row.extraction),
    Number(row.position),
  );
  return true;
}
