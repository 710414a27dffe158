// Forgetting: the text, its terms and its vectors go, and what they stood on is overwritten (secure_delete for the tables,
// the index's own secure-delete for the terms). Copies in the write-ahead log go with the checkpoint that follows.
import type { DatabaseSync } from 'node:sqlite';
import type { TermsOf } from '../../archive.ts';
import { indexName, readState, write } from './tables.ts';
import { removeVectors } from './vectors.ts';

interface Row {
  id: number;
  length: number;
  context: string;
  text: string;
}

export function removeDocuments(db: DatabaseSync, ids: readonly string[], termsOf: TermsOf): number {
  const removed = write(db, () => {
    const state = readState(db);
    const tables = [indexName(state.generation)];
    const find = db.prepare('SELECT key FROM archive_documents WHERE id = ?');
    const chunksOf = db.prepare('SELECT id, length, context, text FROM archive_chunks WHERE document = ?');
    let count = 0;
    for (const id of ids) {
      const key = find.get(id)?.key as number | undefined;
      if (key === undefined) continue;
      count += 1;
      const rows = chunksOf.all(key) as unknown as Row[];
      for (const row of rows) {
        const terms = termsOf(row).join(' ');
        // An index under construction may hold it already.
        const building = state.building !== null && row.id <= (state.built_to ?? 0) ? [indexName(state.building)] : [];
        for (const table of [...tables, ...building]) {
          db.prepare(`INSERT INTO ${table} (${table}, rowid, terms) VALUES ('delete', ?, ?)`).run(row.id, terms);
        }
        removeVectors(db, row.id);
      }
      const length = rows.reduce((sum, row) => sum + row.length, 0);
      db.prepare('DELETE FROM archive_chunks WHERE document = ?').run(key);
      db.prepare('DELETE FROM archive_documents WHERE key = ?').run(key);
      db.prepare('UPDATE archive_documents SET superseded_by = NULL WHERE superseded_by = ?').run(id);
      db.prepare('UPDATE archive_state SET chunks = chunks - ?, length = length - ?').run(rows.length, length);
    }
    return count;
  });
  if (removed > 0) db.prepare('PRAGMA wal_checkpoint(TRUNCATE)').get();
  return removed;
}
