// Reading chunks and documents, and following what replaced what.
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import type { ArchiveChunk, ArchiveDocument, ArchiveSummary, Around, Listed } from '../../archive.ts';
import { collectHolding, HOLDING_COLUMNS } from '../../archive-holding.ts';
import {
  chunkColumns,
  chunkOf,
  documentOf,
  HEAD_CHARACTERS,
  KIND_OF_DOCUMENT,
  listedOf,
  summaryOf,
} from '../../archive-rows.ts';
import type { Redaction } from '../../redaction.ts';
import type { Query } from '../database.ts';
import type { ArchiveTables } from './tables.ts';
import { readTotals } from './totals.ts';
import { isVisible, scopesOf } from './visible.ts';

/** Something may have been replaced many times. */
const LONGEST_CHAIN = 50;
const DOCUMENTS_AT_ONCE = 500;

const chunksFrom = ({ chunks, documents }: ArchiveTables): string =>
  `SELECT ${chunkColumns(chunks)} FROM ${chunks} c JOIN ${documents} d ON d.key = c.document`;

export async function readChunks(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  ids: readonly number[],
): Promise<ArchiveChunk[]> {
  if (ids.length === 0) return [];
  const rows = await query(`${chunksFrom(tables)} WHERE c.id = ANY ($1::bigint[]) AND ${isVisible('d', 2)}`, [
    ids,
    scopesOf(reader),
  ]);
  const found = new Map(rows.map((row) => [Number(row.id), chunkOf(row)]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

export async function readDocument(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  id: string,
): Promise<{ document: ArchiveDocument; chunks: ArchiveChunk[] } | undefined> {
  const [row] = await query(`SELECT d.* FROM ${tables.documents} d WHERE d.id = $1 AND ${isVisible('d', 2)}`, [
    id,
    scopesOf(reader),
  ]);
  if (!row) return undefined;
  const chunks = await query(`${chunksFrom(tables)} WHERE d.id = $1 AND ${isVisible('d', 2)} ORDER BY c.position`, [
    id,
    scopesOf(reader),
  ]);
  return { document: documentOf(row), chunks: chunks.map(chunkOf) };
}

export async function chunksAround(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  chunks: readonly { id: number; session: string }[],
  distance: number,
): Promise<Around[]> {
  if (chunks.length === 0) return [];
  const neighbours = (direction: string): string =>
    `ARRAY(SELECT c.id FROM ${tables.chunks} c WHERE c.session = wanted.session AND ${isVisible('c', 3)} AND ${direction} LIMIT $4)`;
  const rows = await query<{ before: unknown[]; after: unknown[] }>(
    `SELECT ${neighbours('c.id < wanted.id ORDER BY c.id DESC')} AS before, ${neighbours('c.id > wanted.id ORDER BY c.id')} AS after
     FROM unnest($1::bigint[], $2::text[]) WITH ORDINALITY AS wanted (id, session, ordinality) ORDER BY wanted.ordinality`,
    [chunks.map(({ id }) => id), chunks.map(({ session }) => session), scopesOf(reader), distance],
  );
  return rows.map(({ before, after }) => ({ before: before.map(Number), after: after.map(Number) }));
}

/** Of each document that was replaced, the first chunk of the one that holds now. Each step of a chain must be visible. */
export async function replacementsOf(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  ids: readonly string[],
): Promise<Map<string, ArchiveChunk>> {
  if (ids.length === 0) return new Map();
  const rows = await query(
    `WITH RECURSIVE chain (start, id, step) AS (
       SELECT d.id, d.superseded_by, 1 FROM ${tables.documents} d
       WHERE d.id = ANY ($1::text[]) AND d.superseded_by IS NOT NULL AND ${isVisible('d', 2)}
       UNION ALL
       SELECT chain.start, d.superseded_by, chain.step + 1 FROM chain JOIN ${tables.documents} d ON d.id = chain.id
       WHERE d.superseded_by IS NOT NULL AND chain.step < ${LONGEST_CHAIN} AND ${isVisible('d', 2)}
     ), last AS (SELECT DISTINCT ON (start) start, id FROM chain ORDER BY start, step DESC)
     SELECT DISTINCT ON (last.start) last.start, ${chunkColumns(tables.chunks)}
     FROM last JOIN ${tables.documents} d ON d.id = last.id JOIN ${tables.chunks} c ON c.document = d.key
     WHERE last.id <> last.start AND ${isVisible('d', 2)} ORDER BY last.start, c.position`,
    [ids, scopesOf(reader)],
  );
  return new Map(rows.map((row) => [String(row.start), chunkOf(row)]));
}

/** The first chunk of each fact that one of these documents replaced. */
export async function replacedBy(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  ids: readonly string[],
): Promise<ArchiveChunk[]> {
  if (ids.length === 0) return [];
  const rows = await query(
    `${chunksFrom(tables)} WHERE d.superseded_by = ANY ($1::text[]) AND d.kind IS NOT NULL AND c.position = 0
       AND ${isVisible('d', 2)} ORDER BY array_position($1::text[], d.superseded_by), d.key`,
    [[...new Set(ids)], scopesOf(reader)],
  );
  return rows.map(chunkOf);
}

/** The first chunk of each fact and note of the reader's own scope that was replaced, the last one first. */
export async function lastReplaced(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  limit: number,
): Promise<ArchiveChunk[]> {
  const rows = await query(
    `${chunksFrom(tables)} WHERE d.superseded_by IS NOT NULL AND (d.kind IS NOT NULL OR d.session IS NULL) AND d.scope = $1 AND c.position = 0
       AND ${isVisible('d', 2)} ORDER BY coalesce(d.valid_until, d.date) DESC, d.key DESC LIMIT $3`,
    [reader.scope, scopesOf(reader), limit],
  );
  return rows.map(chunkOf);
}

export async function summarise(query: Query, tables: ArchiveTables, reader: MemoryReader): Promise<ArchiveSummary> {
  const rows = await query(
    `SELECT d.scope, ${KIND_OF_DOCUMENT} AS of, count(*) AS documents, min(d.date) AS oldest, max(d.date) AS newest
     FROM ${tables.documents} d WHERE ${isVisible('d', 1)} GROUP BY 1, 2`,
    [scopesOf(reader)],
  );
  return summaryOf(rows, (await readTotals(query, tables, reader)).chunks);
}

export interface ListDocuments {
  limit: number;
  source?: string;
  /** Without what was said in conversations. */
  withoutTurns?: boolean;
}

/** The newest first. */
export async function listDocuments(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  { limit, source, withoutTurns = false }: ListDocuments,
): Promise<Listed[]> {
  const rows = await query(
    `SELECT d.*, (SELECT count(*) FROM ${tables.chunks} c WHERE c.document = d.key) AS chunks,
       (SELECT left(c.text, ${HEAD_CHARACTERS}) FROM ${tables.chunks} c WHERE c.document = d.key ORDER BY c.position LIMIT 1) AS head
     FROM ${tables.documents} d
     WHERE ($1::text IS NULL OR (left(d.source, 200) = left($1, 200) AND d.source = $1))
       AND ${withoutTurns ? 'd.session IS NULL' : 'TRUE'} AND ${isVisible('d', 2)} ORDER BY d.key DESC LIMIT $3`,
    [source ?? null, scopesOf(reader), limit],
  );
  return rows.map(listedOf);
}

/** In pages of documents, each of them whole. */
export async function documentsHolding(
  query: Query,
  tables: ArchiveTables,
  reader: MemoryReader,
  redaction: Redaction,
): Promise<Listed[]> {
  const found = collectHolding(redaction);
  for (let after = 0; ; ) {
    const rows = await query(
      `SELECT ${HOLDING_COLUMNS}
       FROM (SELECT * FROM ${tables.documents} d WHERE d.key > $1 AND ${isVisible('d', 2)} ORDER BY d.key LIMIT ${DOCUMENTS_AT_ONCE}) d
       JOIN ${tables.chunks} c ON c.document = d.key ORDER BY d.key, c.position`,
      [after, scopesOf(reader)],
    );
    const last = rows.at(-1);
    if (!last) return found.end();
    for (const row of rows) found.add(row);
    after = Number(last.key);
  }
}
