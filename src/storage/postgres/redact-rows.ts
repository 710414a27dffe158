// The text in what is queued: messages of chats, jobs and their answers, runs of sub-agents. Rows are read in pages; each page is changed in its transaction.
import type { RedactedPlace, Redaction, RedactionMode } from '../redaction.ts';
import { countByPlace, redactRow, TEXT_TABLES, type TextTable } from '../text-tables.ts';
import type { PostgresDatabase } from './database.ts';

const PAGE = 500;

/** The tables that are in the database, with the column that names a row. */
const KEYS: Readonly<Record<string, string>> = {
  inbox: 'seq',
  outbox: 'seq',
  schedule_jobs: 'id',
  schedule_runs: 'id',
  schedule_letters: 'seq',
  agent_runs: 'key',
  fact_proposals: 'number',
};

export async function redactRows(
  database: PostgresDatabase,
  redaction: Redaction,
  mode: RedactionMode,
): Promise<RedactedPlace[]> {
  const tables = TEXT_TABLES.filter(({ table }) => KEYS[table] !== undefined);
  const counts: number[] = [];
  for (const table of tables) counts.push(await redactTable(database, table, redaction, mode));
  return countByPlace(tables, counts);
}

/** Returns how many rows hold the text. */
async function redactTable(
  { transaction }: PostgresDatabase,
  { table, columns, isDropped }: TextTable,
  redaction: Redaction,
  mode: RedactionMode,
): Promise<number> {
  const key = KEYS[table] ?? '';
  const names = Object.keys(columns);
  const changes = names.map((name, index) => `${name} = $${index + 2}`).join(', ');
  let [count, after] = [0, -1];
  for (;;) {
    const page = await transaction(async (query) => {
      const rows = await query(
        `SELECT ${key} AS row_key, ${names.join(', ')} FROM lainclaw.${table} WHERE ${key} > $1 ORDER BY ${key} LIMIT $2
         ${mode === 'remove' ? 'FOR UPDATE' : ''}`,
        [after, PAGE],
      );
      let held = 0;
      for (const row of rows) {
        const texts = redactRow(row, columns, redaction);
        if (!texts) continue;
        held += 1;
        if (mode === 'find') continue;
        if (isDropped) await query(`DELETE FROM lainclaw.${table} WHERE ${key} = $1`, [row.row_key]);
        else await query(`UPDATE lainclaw.${table} SET ${changes} WHERE ${key} = $1`, [row.row_key, ...texts]);
      }
      return { held, last: rows.at(-1)?.row_key as number | undefined };
    });
    count += page.held;
    if (page.last === undefined) return count;
    after = page.last;
  }
}
