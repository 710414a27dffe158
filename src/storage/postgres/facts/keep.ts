// Keeping what was extracted: documents, what they replace, their sources and the journal, in the transaction of the caller.
import type { FactKind } from '../../../vocabulary/fact.ts';
import { type MemoryReader, type MemoryScope, readerWithin } from '../../../vocabulary/memory-scope.ts';
import type { NewDocument, TermsOf } from '../../archive.ts';
import type { FactChange, FactSource, KeptExtraction, NewExtraction } from '../../facts.ts';
import { insertDocuments, prepareDocuments } from '../archive/add.ts';
import { deleteDocuments } from '../archive/remove.ts';
import type { ArchiveTables } from '../archive/tables.ts';
import { isVisible, scopesOf } from '../archive/visible.ts';
import type { Query } from '../database.ts';
import { withoutZeros } from '../zero-bytes.ts';
import { stopWaiting, updateWaiting } from './waiting.ts';

type Journalled = Omit<NewExtraction, 'changes'>;

/** Undefined: something has changed since the facts were extracted; the caller rolls back. */
export async function keepExtraction(
  query: Query,
  tables: ArchiveTables,
  extraction: NewExtraction,
  termsOf: TermsOf,
): Promise<KeptExtraction | undefined> {
  const { conversation, changes } = extraction;
  const { sessionId, turnIds, scope } = conversation;
  if ((await stopWaiting(query, tables, sessionId, turnIds)) < turnIds.length) return undefined;
  const number = await journal(query, tables, extraction);
  const ids: string[] = [];
  for (const [position, change] of changes.entries()) {
    const isGone =
      change.relation !== 'new' && change.other !== undefined && !(await isValid(query, tables, scope, change.other));
    if (isGone) return undefined;
    const id = await keepChange(query, tables, { extraction: number, position, conversation }, change, termsOf);
    if (id !== undefined) ids.push(id);
  }
  return { number, ids, proposals: changes.filter(({ relation }) => relation === 'proposed').length };
}

export async function keepProblem(
  query: Query,
  tables: ArchiveTables,
  extraction: Journalled & { problem: string },
): Promise<void> {
  await updateWaiting(query, tables, { column: 'given_up', value: 1 }, extraction.conversation);
  await journal(query, tables, extraction);
}

/** Locked until the end of the transaction: nothing else can replace it meanwhile. */
async function isValid(query: Query, tables: ArchiveTables, scope: MemoryScope, id: string): Promise<boolean> {
  const rows = await query(
    `SELECT 1 FROM ${tables.documents} WHERE id = $1 AND scope = $2 AND kind IS NOT NULL AND superseded_by IS NULL FOR UPDATE`,
    [id, scope],
  );
  return rows.length > 0;
}

async function journal(
  query: Query,
  tables: ArchiveTables,
  { conversation, at, model, usage, ...rest }: Journalled & { problem?: string },
): Promise<number> {
  const { sessionId, sessionKey, scope, turnIds } = conversation;
  const [row] = await query<{ number: number }>(
    `INSERT INTO ${tables.factExtractions} (session, session_key, scope, first_turn, last_turn, turns, at, model, usage, tokens, problem)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING number`,
    [
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
      rest.problem === undefined ? null : withoutZeros(rest.problem),
    ],
  );
  return row?.number ?? 0;
}

interface ChangePlace {
  extraction: number;
  position: number;
  conversation: NewExtraction['conversation'];
}

/** Returns the id of the fact that was added, or confirmed; undefined for a proposal. */
async function keepChange(
  query: Query,
  tables: ArchiveTables,
  place: ChangePlace,
  change: FactChange,
  termsOf: TermsOf,
): Promise<string | undefined> {
  const { scope } = place.conversation;
  switch (change.relation) {
    case 'new':
    case 'update':
    case 'contradicts': {
      const other = change.relation === 'new' ? undefined : change.other;
      const isOlder = change.relation !== 'new' && change.isOlder === true;
      const supersedes = isOlder ? undefined : other;
      const id = await insertFact(query, tables, readerWithin(scope), { ...change.document, supersedes }, termsOf);
      if (isOlder) await supersedeOlder(query, tables, id, change.other);
      else if (other !== undefined) await supersedeMessages(query, tables, other, { by: id, from: change.validFrom });
      await addSource(query, tables, id, { ...place, source: change.source });
      await log(query, tables, place, change, { document: id, other: other ?? null });
      return id;
    }
    case 'same':
      await addSource(query, tables, change.other, { ...place, source: change.source });
      await log(query, tables, place, change, { document: change.other, other: null });
      return change.other;
    case 'proposed':
      await propose(query, tables, place, change);
      await log(query, tables, place, change, { document: null, other: change.other ?? null });
      return undefined;
  }
}

async function log(
  query: Query,
  tables: ArchiveTables,
  { extraction, position }: ChangePlace,
  { relation, kind }: Pick<FactChange, 'relation' | 'kind'>,
  { document, other }: { document: string | null; other: string | null },
): Promise<void> {
  await query(
    `INSERT INTO ${tables.factChanges} (extraction, position, relation, kind, document, other) VALUES ($1, $2, $3, $4, $5, $6)`,
    [extraction, position, relation, kind, document, other],
  );
}

async function propose(
  query: Query,
  tables: ArchiveTables,
  { extraction, position, conversation }: ChangePlace,
  change: FactChange & { relation: 'proposed' },
): Promise<void> {
  const { source, validFrom, text, kind, why, other = null, topic } = change;
  await query(
    `INSERT INTO ${tables.factProposals} (extraction, position, scope, session, session_key, turn, said_at, valid_from, text, kind, why, other, topic)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)`,
    [
      extraction,
      position,
      conversation.scope,
      conversation.sessionId,
      conversation.sessionKey,
      source.turnId,
      source.saidAt,
      validFrom,
      withoutZeros(text),
      kind,
      why,
      other,
      topic === undefined ? null : withoutZeros(topic),
    ],
  );
}

async function insertFact(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  document: NewDocument,
  termsOf: TermsOf,
): Promise<string> {
  const [kept] = await insertDocuments(query, tables, prepareDocuments([document], reader, termsOf));
  return kept?.id ?? document.id;
}

/** What was said before a fact that is known already is past from the start. */
async function supersedeOlder(query: Query, tables: ArchiveTables, older: string, by: string): Promise<void> {
  await query(
    `UPDATE ${tables.documents} d SET superseded_by = n.id, valid_until = coalesce(n.valid_from, n.date)
     FROM ${tables.documents} n WHERE n.id = $1 AND d.id = $2`,
    [by, older],
  );
}

async function addSource(
  query: Query,
  tables: ArchiveTables,
  document: string,
  { extraction, conversation, source }: Omit<ChangePlace, 'position'> & { source: FactSource },
): Promise<void> {
  await query(
    `INSERT INTO ${tables.factSources} (document, session, turn, said_at, extraction, message) VALUES ($1, $2, $3, $4, $5, $6)
     ON CONFLICT DO NOTHING`,
    [document, conversation.sessionId, source.turnId, source.saidAt, extraction, source.message ?? null],
  );
}

/** Messages that said only what is no longer true are found behind what replaced it, like any text that was replaced. */
async function supersedeMessages(
  query: Query,
  tables: ArchiveTables,
  old: string,
  { by, from }: { by: string; from: string },
): Promise<void> {
  await query(
    `UPDATE ${tables.documents} m SET superseded_by = $2, valid_until = $3
     FROM ${tables.factSources} said
     WHERE said.document = $1 AND said.message IS NOT NULL
       AND m.hash = said.message AND m.session = said.session AND m.kind IS NULL AND m.superseded_by IS NULL
       AND NOT EXISTS (
         SELECT 1 FROM ${tables.factSources} s JOIN ${tables.documents} d ON d.id = s.document
         WHERE s.session = said.session AND s.message = said.message AND d.superseded_by IS NULL)`,
    [old, by, from],
  );
}

/** Facts that another extraction confirmed as well stay. */
export async function undoExtraction(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  { number, at }: { number: number; at: number },
): Promise<{ removed: number } | undefined> {
  const undone = await query(
    `UPDATE ${tables.factExtractions} d SET undone_at = $1 WHERE d.number = $2 AND d.undone_at IS NULL AND ${isVisible('d', 3)} RETURNING 1`,
    [at, number, scopesOf(reader)],
  );
  if (undone.length === 0) return undefined;
  const said = await query<{ document: string }>(
    `DELETE FROM ${tables.factSources} WHERE extraction = $1 RETURNING document`,
    [number],
  );
  await query(`DELETE FROM ${tables.factProposals} WHERE extraction = $1`, [number]);
  const alone = await query<{ id: string }>(
    `SELECT DISTINCT id FROM unnest($1::text[]) AS said (id)
     WHERE NOT EXISTS (SELECT 1 FROM ${tables.factSources} s WHERE s.document = said.id)`,
    [said.map(({ document }) => document)],
  );
  return {
    removed: await deleteDocuments(
      query,
      tables,
      reader,
      alone.map(({ id }) => id),
    ),
  };
}

export async function settleProposal(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  number: number,
  accepted: { document: NewDocument; at: number } | undefined,
  termsOf: TermsOf,
): Promise<boolean> {
  const [row] = await query(
    `DELETE FROM ${tables.factProposals} d WHERE d.number = $1 AND ${isVisible('d', 2)} RETURNING *`,
    [number, scopesOf(reader)],
  );
  if (!row) return false;
  if (!accepted) return true;
  const scope = row.scope as MemoryScope;
  // Meanwhile something else may have replaced it.
  const isStillValid = row.other !== null && (await isValid(query, tables, scope, String(row.other)));
  const supersedes = isStillValid ? String(row.other) : undefined;
  const document = { ...accepted.document, kind: row.kind as FactKind, supersedes };
  const id = await insertFact(query, tables, readerWithin(scope), document, termsOf);
  const conversation = { sessionId: String(row.session), sessionKey: String(row.session_key), scope, turnIds: [] };
  const source = { turnId: String(row.turn), saidAt: String(row.said_at) };
  await addSource(query, tables, id, { extraction: Number(row.extraction), conversation, source });
  await query(`UPDATE ${tables.factChanges} SET document = $1, other = $2 WHERE extraction = $3 AND position = $4`, [
    id,
    supersedes ?? null,
    Number(row.extraction),
    Number(row.position),
  ]);
  return true;
}
