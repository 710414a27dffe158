// Rows of the archive's tables, whose columns have the same names in every database.
import type { FactKind } from '../vocabulary/fact.ts';
import type { MemoryScope } from '../vocabulary/memory-scope.ts';
import type {
  ArchiveChunk,
  ArchiveDocument,
  ArchiveSummary,
  DocumentKind,
  IndexedChunk,
  Listed,
  PendingChunk,
} from './archive.ts';

/** Of a chunk `c` of this table and its document `d`. */
export const chunkColumns = (chunks: string): string => `c.id, c.position, c.context, c.text, c.length,
  (SELECT max(other.position) FROM ${chunks} other WHERE other.document = c.document) AS last_position, d.id AS document, d.scope, d.source, d.title, d.date, d.speaker,
  d.session, d.hash, d.superseded_by, d.kind, d.valid_from, d.valid_until`;

/** What kind of source a document `d` came from. */
export const KIND_OF_DOCUMENT = `CASE WHEN d.kind IS NOT NULL THEN 'facts' WHEN d.session IS NOT NULL THEN 'conversations'
  WHEN d.source LIKE '/%' THEN 'files' ELSE 'notes' END`;

/** Characters of a text that a list shows. */
export const HEAD_CHARACTERS = 200;

type Row = Readonly<Record<string, unknown>>;

export interface IndexedRow extends IndexedChunk {
  id: number;
  length: number;
}

export function indexedRow({ speaker, ...row }: Row): IndexedRow {
  const rest = row as unknown as IndexedRow;
  return speaker === null ? rest : { ...rest, speaker: String(speaker) };
}

export function listedOf(row: Row): Listed {
  return { ...documentOf(row), chunks: Number(row.chunks), head: String(row.head ?? '') };
}

export function pendingOf(row: Row): PendingChunk {
  return { id: Number(row.id), context: String(row.context), text: String(row.text) };
}

/** `rows`: documents counted by scope and kind (`of`), with their earliest and latest date. */
export function summaryOf(rows: readonly Row[], chunks: number): ArchiveSummary {
  const kinds: ArchiveSummary['kinds'] = {};
  const byScope = new Map<MemoryScope, number>();
  for (const row of rows) {
    const [kind, scope] = [row.of as DocumentKind, row.scope as MemoryScope];
    kinds[kind] = (kinds[kind] ?? 0) + Number(row.documents);
    byScope.set(scope, (byScope.get(scope) ?? 0) + Number(row.documents));
  }
  const dates = rows.flatMap(({ oldest, newest }) => [String(oldest), String(newest)]).sort();
  const [oldest, newest] = [dates[0], dates.at(-1)];
  return {
    documents: rows.reduce((sum, row) => sum + Number(row.documents), 0),
    chunks,
    ...(oldest !== undefined && { oldest }),
    ...(newest !== undefined && { newest }),
    kinds,
    scopes: [...byScope]
      .map(([scope, documents]) => ({ scope, documents }))
      .sort((a, b) => b.documents - a.documents || (a.scope < b.scope ? -1 : 1)),
  };
}

export function chunkOf(row: Row): ArchiveChunk {
  return {
    id: Number(row.id),
    document: documentOf({ ...row, id: row.document }),
    position: Number(row.position),
    context: String(row.context),
    text: String(row.text),
    length: Number(row.length),
    chunksOfDocument: Number(row.last_position) + 1,
  };
}

export function documentOf(row: Row): ArchiveDocument {
  const document: ArchiveDocument = {
    id: String(row.id),
    scope: row.scope as MemoryScope,
    source: String(row.source),
    date: String(row.date),
    hash: String(row.hash),
  };
  if (row.title !== null) document.title = String(row.title);
  if (row.speaker !== null) document.speaker = String(row.speaker);
  if (row.session !== null) document.session = String(row.session);
  if (row.superseded_by !== null) document.supersededBy = String(row.superseded_by);
  if (row.kind !== null) document.kind = row.kind as FactKind;
  if (row.valid_from !== null) document.validFrom = String(row.valid_from);
  if (row.valid_until !== null) document.validUntil = String(row.valid_until);
  return document;
}
