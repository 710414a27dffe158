// Following what replaced what.
import type { DatabaseSync } from 'node:sqlite';
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import type { ArchiveChunk } from '../../archive.ts';
import { chunksOfDocument } from './find.ts';
import { visibleTo } from './visible.ts';

/** Something may have been replaced many times. */
const LONGEST_CHAIN = 50;

/** Of each document that was replaced, the first chunk of the one that holds now. */
export function replacementsOf(
  db: DatabaseSync,
  reader: MemoryReader,
  ids: readonly string[],
): Map<string, ArchiveChunk> {
  const { sql, scopes } = visibleTo(reader);
  const next = db.prepare(`SELECT d.superseded_by AS next FROM archive_documents d WHERE d.id = ? AND ${sql}`);
  const found = new Map<string, ArchiveChunk>();
  for (const id of new Set(ids)) {
    let last = id;
    for (let step = 0; step < LONGEST_CHAIN; step += 1) {
      const row = next.get(last, ...scopes);
      if (row?.next === null || row?.next === undefined) break;
      last = String(row.next);
    }
    const [chunk] = last === id || !next.get(last, ...scopes) ? [] : chunksOfDocument(db, last);
    if (chunk) found.set(id, chunk);
  }
  return found;
}

/** The first chunk of each fact that one of these documents replaced. */
export function replacedBy(db: DatabaseSync, reader: MemoryReader, ids: readonly string[]): ArchiveChunk[] {
  const { sql, scopes } = visibleTo(reader);
  const replaced = db.prepare(
    `SELECT d.id FROM archive_documents d WHERE d.superseded_by = ? AND d.kind IS NOT NULL AND ${sql}`,
  );
  return [...new Set(ids)].flatMap((id) =>
    replaced.all(id, ...scopes).flatMap((row) => chunksOfDocument(db, String(row.id)).slice(0, 1)),
  );
}

/** The first chunk of each fact and note of the reader's own scope that was replaced, the last one first. */
export function lastReplaced(db: DatabaseSync, reader: MemoryReader, limit: number): ArchiveChunk[] {
  const { sql, scopes } = visibleTo(reader);
  const replaced = db.prepare(
    `SELECT d.id FROM archive_documents d WHERE d.superseded_by IS NOT NULL AND (d.kind IS NOT NULL OR d.session IS NULL) AND d.scope = ? AND ${sql}
     ORDER BY coalesce(d.valid_until, d.date) DESC, d.key DESC LIMIT ?`,
  );
  return replaced
    .all(reader.scope, ...scopes, limit)
    .flatMap((row) => chunksOfDocument(db, String(row.id)).slice(0, 1));
}
