// Facts in PostgreSQL, beside the archive's documents.
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import { changeOf, extractionOf, knownFactOf, proposalOf } from '../../fact-rows.ts';
import type { Extraction, FactStore } from '../../facts.ts';
import type { ArchiveTables } from '../archive/tables.ts';
import { isVisible, scopesOf } from '../archive/visible.ts';
import type { PostgresDatabase, Query } from '../database.ts';
import { keepExtraction, keepProblem, settleProposal, undoExtraction } from './keep.ts';
import { dueConversations, letWait, nextDue, stopWaiting, updateWaiting, waitingCounts } from './waiting.ts';

export function createPostgresFacts({ query, transaction }: PostgresDatabase, tables: ArchiveTables): FactStore {
  return {
    wait: (turn) => letWait(query, tables, turn),
    async hurry(sessionId) {
      await query(`UPDATE ${tables.factWaiting} SET hurried = 1 WHERE session = $1`, [sessionId]);
    },
    due: (options) => dueConversations(query, tables, options),
    nextDue: (restMs) => nextDue(query, tables, restMs),
    waiting: () => waitingCounts(query, tables),
    async drop(sessionId, turnIds) {
      await stopWaiting(query, tables, sessionId, turnIds);
    },
    async keep(extraction, termsOf) {
      try {
        return await transaction(
          async (inside) => (await keepExtraction(inside, tables, extraction, termsOf)) ?? takeBack(),
        );
      } catch (error) {
        if (error instanceof TakenBack) return undefined;
        throw error;
      }
    },
    keepProblem: (extraction) => transaction((inside) => keepProblem(inside, tables, extraction)),
    postpone: (sessionId, turnIds, until) =>
      updateWaiting(query, tables, { column: 'not_before', value: until }, { sessionId, turnIds }),
    async tokensSince(moment) {
      const [row] = await query<{ tokens: string | number }>(
        `SELECT coalesce(sum(tokens), 0) AS tokens FROM ${tables.factExtractions} WHERE at >= $1`,
        [moment],
      );
      return Number(row?.tokens ?? 0);
    },
    log: (reader, limit) => logOf(query, tables, reader, limit),
    undo: (reader, number, at) => transaction((inside) => undoExtraction(inside, tables, reader, { number, at })),
    async proposals(reader) {
      const rows = await query(
        `SELECT d.*, ${textOf(tables, 'd.other')} AS other_text FROM ${tables.factProposals} d
         WHERE ${isVisible('d', 1)} ORDER BY d.number`,
        [scopesOf(reader)],
      );
      return rows.map(proposalOf);
    },
    settleProposal: (reader, number, accepted, termsOf) =>
      transaction((inside) => settleProposal(inside, tables, reader, number, accepted, termsOf)),
    async valid(reader, limit) {
      const rows = await query(
        `SELECT d.id, d.kind, d.date, coalesce(d.valid_from, d.date) AS valid_from, ${textOf(tables, 'd.id')} AS text
         FROM ${tables.documents} d
         WHERE d.kind IS NOT NULL AND d.superseded_by IS NULL AND ${isVisible('d', 1)} ORDER BY d.key DESC LIMIT $2`,
        [scopesOf(reader), limit],
      );
      return rows.map(knownFactOf);
    },
    async counts(reader) {
      const rows = await query<{ kind: string; count: number }>(
        `SELECT d.kind, count(*) AS count FROM ${tables.documents} d
         WHERE d.kind IS NOT NULL AND d.superseded_by IS NULL AND ${isVisible('d', 1)} GROUP BY d.kind`,
        [scopesOf(reader)],
      );
      return Object.fromEntries(rows.map(({ kind, count }) => [kind, count]));
    },
    async saidIn(sessionId, turnIds) {
      const rows = await query<{ document: string }>(
        turnIds === undefined
          ? `SELECT DISTINCT s.document FROM ${tables.factSources} s WHERE s.session = $1 AND $2::text[] IS NULL
             AND NOT EXISTS (SELECT 1 FROM ${tables.factSources} o WHERE o.document = s.document AND o.session <> s.session)`
          : `SELECT DISTINCT s.document FROM ${tables.factSources} s WHERE s.session = $1 AND s.turn = ANY ($2::text[])`,
        [sessionId, turnIds ?? null],
      );
      return rows.map(({ document }) => document);
    },
    async forgetSession(sessionId) {
      for (const table of [tables.factWaiting, tables.factProposals, tables.factSources])
        await query(`DELETE FROM ${table} WHERE session = $1`, [sessionId]);
    },
  };
}

class TakenBack extends Error {}

/** Rolls the transaction back. */
function takeBack(): never {
  throw new TakenBack();
}

/** The text of the document that a column names. */
const textOf = ({ chunks, documents }: ArchiveTables, column: string): string =>
  `(SELECT string_agg(k.text, '' ORDER BY k.position) FROM ${chunks} k JOIN ${documents} o ON o.key = k.document WHERE o.id = ${column})`;

async function logOf(query: Query, tables: ArchiveTables, reader: MemoryReader, limit: number): Promise<Extraction[]> {
  const rows = await query<{ number: number }>(
    `SELECT d.* FROM ${tables.factExtractions} d WHERE ${isVisible('d', 1)} ORDER BY d.number DESC LIMIT $2`,
    [scopesOf(reader), limit],
  );
  const changes = await query<{ extraction: number }>(
    `SELECT c.*, coalesce(${textOf(tables, 'c.document')}, (
       SELECT p.text FROM ${tables.factProposals} p WHERE p.extraction = c.extraction AND p.position = c.position)) AS text,
       ${textOf(tables, 'c.other')} AS other_text
     FROM ${tables.factChanges} c WHERE c.extraction = ANY ($1::bigint[]) ORDER BY c.position`,
    [rows.map(({ number }) => number)],
  );
  const byExtraction = Map.groupBy(changes, ({ extraction }) => extraction);
  return rows.map((row) => extractionOf({ ...row }, (byExtraction.get(row.number) ?? []).map(changeOf)));
}
