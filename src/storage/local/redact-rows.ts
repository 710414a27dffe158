// The text in what is queued or cached in lainclaw.db: results of tools, messages of chats, jobs and their answers, runs of sub-agents, proposals of facts.
import type { DatabaseSync } from 'node:sqlite';
import type { RedactedPlace, Redaction, RedactionMode } from '../redaction.ts';
import { countByPlace, redactRow, TEXT_TABLES, type TextTable } from '../text-tables.ts';
import type { Database } from './database.ts';
import { inTransaction } from './open-database.ts';

export async function redactRows(
  database: Database,
  redaction: Redaction,
  mode: RedactionMode,
): Promise<RedactedPlace[]> {
  const counts = await database.use((db) =>
    mode === 'find'
      ? TEXT_TABLES.map((table) => redactTable(db, table, redaction, mode))
      : inTransaction(db, () => TEXT_TABLES.map((table) => redactTable(db, table, redaction, mode))),
  );
  return countByPlace(TEXT_TABLES, counts);
}

/** Returns how many rows hold the text. */
function redactTable(
  db: DatabaseSync,
  { table, columns, isDropped }: TextTable,
  redaction: Redaction,
  mode: RedactionMode,
): number {
  const names = Object.keys(columns);
  const rows = db.prepare(`SELECT rowid AS row, ${names.join(', ')} FROM ${table}`).iterate();
  const changed: { row: number; texts: (string | null)[] }[] = [];
  for (const row of rows) {
    const texts = redactRow(row, columns, redaction);
    if (texts) changed.push({ row: Number(row.row), texts });
  }
  if (mode === 'find') return changed.length;
  const statement = isDropped
    ? db.prepare(`DELETE FROM ${table} WHERE rowid = ?`)
    : db.prepare(`UPDATE ${table} SET ${names.map((name) => `${name} = ?`).join(', ')} WHERE rowid = ?`);
  for (const { row, texts } of changed) statement.run(...(isDropped ? [] : texts), row);
  return changed.length;
}
