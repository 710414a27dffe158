import type { DatabaseSync } from 'node:sqlite';
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';
import type { Listed } from '../../archive.ts';
import { collectHolding, HOLDING_COLUMNS } from '../../archive-holding.ts';
import type { Redaction } from '../../redaction.ts';
import { read } from './tables.ts';
import { visibleTo } from './visible.ts';

export function documentsHolding(db: DatabaseSync, reader: MemoryReader, redaction: Redaction): Listed[] {
  const { sql, scopes } = visibleTo(reader);
  return read(db, () => {
    const found = collectHolding(redaction);
    const rows = db
      .prepare(
        `SELECT ${HOLDING_COLUMNS} FROM archive_documents d JOIN archive_chunks c ON c.document = d.key
         WHERE ${sql} ORDER BY d.key, c.position`,
      )
      .iterate(...scopes);
    for (const row of rows) found.add(row);
    return found.end();
  });
}
