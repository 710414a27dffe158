// How much the archive holds for a reader, and the newest of it.
import type { DatabaseSync } from 'node:sqlite';
import type { MemoryReader, MemoryScope } from '../../../vocabulary/memory-scope.ts';
import type { ArchiveSummary, DocumentKind, Listed } from '../../archive.ts';
import { documentOf } from './find.ts';
import { visibleTo } from './visible.ts';

const HEAD_CHARACTERS = 200;
const KIND = `CASE WHEN d.kind IS NOT NULL THEN 'facts' WHEN d.session IS NOT NULL THEN 'conversations'
  WHEN d.source LIKE '/%' THEN 'files' ELSE 'notes' END`;

export function summarise(db: DatabaseSync, reader: MemoryReader): ArchiveSummary {
  const { sql, scopes } = visibleTo(reader);
  const rows = db
    .prepare(
      `SELECT d.scope, ${KIND} AS of, count(*) AS documents, min(d.date) AS oldest, max(d.date) AS newest
       FROM archive_documents d WHERE ${sql} GROUP BY d.scope, of`,
    )
    .all(...scopes);
  const chunks = db
    .prepare(
      `SELECT count(*) AS chunks FROM archive_chunks c JOIN archive_documents d ON d.key = c.document WHERE ${sql}`,
    )
    .get(...scopes);
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
    chunks: Number(chunks?.chunks ?? 0),
    ...(oldest !== undefined && { oldest }),
    ...(newest !== undefined && { newest }),
    kinds,
    scopes: [...byScope]
      .map(([scope, documents]) => ({ scope, documents }))
      .sort((a, b) => b.documents - a.documents || (a.scope < b.scope ? -1 : 1)),
  };
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
  return rows.map((row) => ({ ...documentOf(row), chunks: Number(row.chunks), head: String(row.head ?? '') }));
}
