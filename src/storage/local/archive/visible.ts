// What a reader may see of the archive: the one place where local storage decides it.
import type { DatabaseSync } from 'node:sqlite';
import type { MemoryReader } from '../../../vocabulary/memory-scope.ts';

/** A condition on the documents `d` of a statement, and its parameters. */
export interface Visible {
  sql: string;
  scopes: readonly string[];
}

export function visibleTo({ sees }: MemoryReader): Visible {
  if (sees === 'everything') return { sql: 'TRUE', scopes: [] };
  return { sql: `d.scope IN (${sees.map(() => '?').join(', ')})`, scopes: sees };
}

/** The chunks of a reader who does not see everything, with their number of terms; undefined for one who does. */
export function visibleChunks(db: DatabaseSync, reader: MemoryReader): Map<number, number> | undefined {
  if (reader.sees === 'everything') return undefined;
  const { sql, scopes } = visibleTo(reader);
  const rows = db
    .prepare(`SELECT c.id, c.length FROM archive_documents d JOIN archive_chunks c ON c.document = d.key WHERE ${sql}`)
    .all(...scopes);
  return new Map(rows.map((row) => [Number(row.id), Number(row.length)]));
}
