// How much the archive holds for a reader, and the newest of it.
import type { DatabaseSync } from 'node:sqlite';
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import type { ArchiveSummary, Listed } from '../../archive.ts';
import { HEAD_CHARACTERS, KIND_OF_DOCUMENT, listedOf, summaryOf } from '../../archive-rows.ts';
import { visibleTo } from './visible.ts';

export function summarise(db: DatabaseSync, reader: MemoryReader): ArchiveSummary {
  const { sql, scopes } = visibleTo(reader);
  const rows = db
    .prepare(
      `SELECT d.scope, ${KIND_OF_DOCUMENT} AS of, count(*) AS documents, min(d.date) AS oldest, max(d.date) AS newest
       FROM archive_documents d WHERE ${sql} GROUP BY d.scope, of`,
    )
    .all(...scopes);
  const chunks = db
    .prepare(
      `SELECT count(*) AS chunks FROM archive_chunks c JOIN archive_documents d ON d.key = c.document WHERE ${sql}`,
    )
    .get(...scopes);
  return summaryOf(rows, Number(chunks?.chunks ?? 0));
}

export interface ListDocuments {
  limit: number;
  source?: string;
  /** Without what was said in conversations. */
  withoutTurns?: boolean;
}

/** The newest first. */
export function listDocuments(
  db: DatabaseSync,
  reader: MemoryReader,
  { limit, source, withoutTurns = false }: ListDocuments,
): Listed[] {
  const { sql, scopes } = visibleTo(reader);
  const rows = db
    .prepare(
      `SELECT d.*, (SELECT count(*) FROM archive_chunks c WHERE c.document = d.key) AS chunks,
         (SELECT substr(c.text, 1, ${HEAD_CHARACTERS}) FROM archive_chunks c WHERE c.document = d.key ORDER BY c.position LIMIT 1) AS head
       FROM archive_documents d
       WHERE (? IS NULL OR d.source = ?) AND ${withoutTurns ? 'd.session IS NULL' : 'TRUE'} AND ${sql} ORDER BY d.key DESC LIMIT ?`,
    )
    .all(source ?? null, source ?? null, ...scopes, limit);
  return rows.map(listedOf);
}
