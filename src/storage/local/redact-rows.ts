// The text in what is queued or cached in lainclaw.db: results of tools, messages of chats, jobs and their answers, runs of sub-agents, proposals of facts.
import type { DatabaseSync } from 'node:sqlite';
import { type RedactedPlace, type Redaction, type RedactionMode, redactedText } from '../redaction.ts';
import type { Database } from './database.ts';
import { inTransaction } from './open-database.ts';

interface TextTable {
  table: string;
  columns: readonly string[];
  place: string;
  /** The row means nothing without its text. */
  isDropped?: true;
}

const TABLES: readonly TextTable[] = [
  { table: 'tool_results', columns: ['key', 'value'], place: 'kept result of a tool', isDropped: true },
  { table: 'inbox', columns: ['body'], place: 'message of a chat' },
  { table: 'outbox', columns: ['body', 'last_error'], place: 'message to a chat' },
  { table: 'schedule_jobs', columns: ['definition', 'reason'], place: 'scheduled job' },
  { table: 'schedule_runs', columns: ['answer', 'reason'], place: 'answer of a scheduled job' },
  { table: 'schedule_letters', columns: ['text'], place: 'answer of a scheduled job' },
  { table: 'agent_runs', columns: ['message', 'request', 'result', 'error'], place: 'run of a sub-agent' },
  { table: 'fact_proposals', columns: ['text', 'topic'], place: 'proposed fact', isDropped: true },
];

export async function redactRows(
  database: Database,
  redaction: Redaction,
  mode: RedactionMode,
): Promise<RedactedPlace[]> {
  const counts = await database.use((db) =>
    mode === 'find'
      ? TABLES.map((table) => redactTable(db, table, redaction, mode))
      : inTransaction(db, () => TABLES.map((table) => redactTable(db, table, redaction, mode))),
  );
  const byPlace = new Map<string, number>();
  for (const [index, { place }] of TABLES.entries())
    byPlace.set(place, (byPlace.get(place) ?? 0) + (counts[index] ?? 0));
  return [...byPlace].flatMap(([place, count]) => (count > 0 ? [{ place, name: '', count }] : []));
}

/** Returns how many rows hold the text. */
function redactTable(
  db: DatabaseSync,
  { table, columns, isDropped }: TextTable,
  redaction: Redaction,
  mode: RedactionMode,
): number {
  const rows = db.prepare(`SELECT rowid AS row, ${columns.join(', ')} FROM ${table}`).iterate();
  const changed: { row: number; texts: (string | null)[] }[] = [];
  for (const row of rows) {
    const texts = columns.map((column) =>
      typeof row[column] === 'string' ? redactedText(row[column], redaction) : undefined,
    );
    if (!texts.some((text) => text?.holds)) continue;
    changed.push({ row: Number(row.row), texts: texts.map((text) => text?.replaced ?? null) });
  }
  if (mode === 'find') return changed.length;
  const statement = isDropped
    ? db.prepare(`DELETE FROM ${table} WHERE rowid = ?`)
    : db.prepare(`UPDATE ${table} SET ${columns.map((column) => `${column} = ?`).join(', ')} WHERE rowid = ?`);
  for (const { row, texts } of changed) statement.run(...(isDropped ? [] : texts), row);
  return changed.length;
}
